package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has used since its start.
type Usage struct {
	Own      time.Duration // CPU time of the process, user and system
	Children time.Duration // CPU time of its ended children and of theirs
}

// Less returns what was used since an earlier time.
func (u Usage) Less(earlier Usage) Usage {
	return Usage{Own: u.Own - earlier.Own, Children: u.Children - earlier.Children}
}

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every Linux that Go runs on (time(7)).
const tick = 10 * time.Millisecond

// Usage returns what the process has used so far, exact to 10 ms.
func (p *Process) Usage() (Usage, error) {
	text, err := os.ReadFile(p.proc("stat"))
	if err != nil {
		return Usage{}, err
	}
	return parseStat(string(text))
}

// parseStat reads utime, stime, cutime, and cstime, fields 14 to 17 of
// /proc/PID/stat (proc_pid_stat(5)). Field 2, in parentheses, may contain
// anything.
func parseStat(stat string) (Usage, error) {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 15 {
		return Usage{}, fmt.Errorf("reading /proc/PID/stat %q: too few fields", stat)
	}
	var times [4]time.Duration
	for i, field := range fields[11:15] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("reading /proc/PID/stat: %w", err)
		}
		times[i] = time.Duration(ticks) * tick
	}
	return Usage{Own: times[0] + times[1], Children: times[2] + times[3]}, nil
}

// ResetPeak resets Peak (proc_pid_clear_refs(5), since Linux 4.0).
func (p *Process) ResetPeak() error {
	return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0)
}

// Peak returns the peak resident set of the process itself, in bytes.
func (p *Process) Peak() (int64, error) {
	text, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, err
	}
	return parsePeak(string(text))
}

func parsePeak(status string) (int64, error) {
	_, rest, _ := strings.Cut(status, "\nVmHWM:")
	var kib int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		return 0, fmt.Errorf("reading VmHWM of /proc/PID/status: %w", err)
	}
	return kib << 10, nil
}

func (p *Process) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), file)
}
