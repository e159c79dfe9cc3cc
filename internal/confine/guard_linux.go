package confine

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// guarded is a process that reports why it ends before its command does.
type guarded struct {
	command string

	mu     sync.Mutex
	stderr int // what was standard error before the process was watched, or one of the following
}

const (
	unwatched = -1 // so far
	reporting = -2 // the process is about to write its own messages
)

// Guard has this process report when it ends before the command does: when it has used up its time and, once it uses
// much memory, when the Go runtime ends it. The returned function ends that, and must be called before anything else
// is written to standard error.
func Guard(command string) (end func()) {
	g := &guarded{command: command, stderr: unwatched}
	reportTime(func(problem string) {
		g.end()
		_, _ = os.Stderr.WriteString(worded(command, problem))
	})
	g.afterCollection()
	return g.end
}

// small is the size in bytes of a heap that is far from the limit, also at the next collection of its garbage. The
// processes of most fleets end with one, before a second process would have started.
const small = 16 << 20

// afterCollection has this process watched from the next collection of garbage on that leaves more than a small heap.
func (g *guarded) afterCollection() {
	runtime.AddCleanup(new([64]byte), func(g *guarded) {
		var stats runtime.MemStats
		if runtime.ReadMemStats(&stats); stats.HeapAlloc < small {
			g.afterCollection()
			return
		}
		g.watch()
	}, g)
}

// watch starts a process that reads what the Go runtime writes to this one's standard error. If that is impossible,
// users see it as it is.
func (g *guarded) watch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	var pipe [2]int
	if g.stderr != unwatched || syscall.Pipe2(pipe[:], syscall.O_CLOEXEC) != nil {
		return
	}
	if stderr, err := duplicate(2); err == nil && startWatcher(g.command, pipe[0]) == nil && redirect(pipe[1]) == nil {
		g.stderr = stderr
	}
	_ = syscall.Close(pipe[0])
	_ = syscall.Close(pipe[1])
}

// end restores standard error. The watcher then ends with this process.
func (g *guarded) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stderr >= 0 {
		_ = redirect(g.stderr)
	}
	g.stderr = reporting
}

// redirect makes standard error the same as another open file.
func redirect(fd int) error { return syscall.Dup3(fd, 2, 0) }

// duplicate returns another descriptor of an open file, which programs that are started do not inherit.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	other, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(other)
	}
	return other, err
}
