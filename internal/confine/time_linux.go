package confine

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// tooSlow is the problem of a process that has used up its time.
const tooSlow = " of CPU time, which is all that one render may use; " +
	"see what its templates and charts repeat, or divide it among several Applications"

// grace is the CPU time in seconds between the signal that a process has used up its time and its end by the system.
const grace = 1

// LimitTime limits the CPU time of this process, and of each program that it starts afterwards. The system ends one
// that needs more, and [Slow] reports it.
func LimitTime(seconds uint64) error { return limitTime(seconds, seconds) }

// limitTime also has the system send SIGXCPU after the first number of seconds. A lower limit of this process counts
// more.
func limitTime(signal, end uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	limit.Max = min(limit.Max, end)
	limit.Cur = min(signal, max(1, limit.Max-(end-signal)))
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &limit)
}

// reportTime ends this process when it has used up its time, and calls report with the problem before that.
func reportTime(report func(problem string)) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CPU, &limit) != nil {
		return
	}
	used := make(chan os.Signal, 1)
	signal.Notify(used, syscall.SIGXCPU)
	go func() {
		<-used
		report(needsLonger(limit.Cur))
		os.Exit(1)
	}()
}

// Slow returns why the system ended a process for its CPU time, or "" if it did not.
func Slow(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return ""
	}
	return slow(status, state.UserTime()+state.SystemTime())
}

// slow compares the time that a process has used with the limit, which it has inherited from this one.
func slow(status syscall.WaitStatus, used time.Duration) string {
	var limit syscall.Rlimit
	if !status.Signaled() || status.Signal() != syscall.SIGKILL || syscall.Getrlimit(syscall.RLIMIT_CPU, &limit) != nil {
		return ""
	}
	// The system compares a number of ticks, and reports the time. They differ most on a busy computer.
	if seconds := limit.Max; seconds <= 3600 && used >= time.Duration(seconds)*time.Second/2 {
		return needsLonger(seconds)
	}
	return ""
}

func needsLonger(seconds uint64) string {
	return "needs more than " + (time.Duration(seconds) * time.Second).String() + tooSlow
}

// Child returns the attributes of a process that ends with this one, however this one ends. The goroutine that starts
// it must stay on its thread: the process ends with the thread (man 2 PR_SET_PDEATHSIG).
func Child() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
