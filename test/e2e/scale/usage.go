package scale

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/sizing"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// parts are the parts whose cost is measured, by the base of the names of their servers.
var parts = map[string]sizing.Part{
	"argocd-application-controller": sizing.Controller,
	"argocd-repo-server":            sizing.RepoServer,
	"argocd-cmp-server":             sizing.Sidecar,
	"redis-server":                  sizing.Redis,
	"kube-apiserver":                sizing.APIServer,
	"etcd":                          sizing.Etcd,
	"virt-api":                      sizing.Webhooks,
	"cdi-apiserver":                 sizing.Webhooks,
}

// usage is what the servers have used.
type usage struct {
	cpu  map[sizing.Part]float64 // seconds, with the programs that they have run
	peak map[sizing.Part]float64 // MiB of the largest process, without these programs
	idle float64                 // seconds that the CPUs of the computer had nothing to do
}

// ticks is the number of clock ticks per second in /proc, which is the same on all platforms of Linux that Go
// supports (Linux, include/asm-generic/param.h, USER_HZ).
const ticks = 100

// processes returns the numbers that /proc has for the servers. The sandbox has process IDs of its own, and
// /proc is that of the computer: it lists both numbers of a process (proc(5), status: NSpid).
func processes(servers []*process.Running) (map[*process.Running]int, error) {
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return nil, err
	}
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	outside := map[int]int{} // by the number inside
	for _, dir := range entries {
		// A process can have ended since.
		if in, err := os.Readlink(filepath.Join(dir, "ns", "pid")); err != nil || in != own {
			continue
		}
		ids := strings.Fields(statusField(dir, "NSpid:"))
		if len(ids) == 0 {
			continue
		}
		// Both are numbers, by the pattern and by the kernel.
		outer, _ := strconv.Atoi(filepath.Base(dir))
		inner, _ := strconv.Atoi(ids[len(ids)-1])
		outside[inner] = outer
	}
	found := map[*process.Running]int{}
	for _, s := range servers {
		if found[s] = outside[s.PID()]; found[s] == 0 {
			return nil, fmt.Errorf("no process of %s in /proc", s.Name)
		}
	}
	return found, nil
}

// statusField returns a field of the status of a process, or an empty text if the process has ended.
func statusField(dir, name string) string {
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(status), name)
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}

// used reads what the servers have used since they started, and their peaks since [resetPeaks].
func used(servers map[*process.Running]int) (usage, error) {
	u := usage{cpu: map[sizing.Part]float64{}, peak: map[sizing.Part]float64{}}
	var err error
	if u.idle, err = idleTime(); err != nil {
		return u, err
	}
	for s, pid := range servers {
		part, is := parts[filepath.Base(s.Name)]
		if !is {
			continue
		}
		cpu, err := cpuOf(pid)
		if err != nil {
			return u, err
		}
		peak, err := peakOf(pid)
		if err != nil {
			return u, err
		}
		u.cpu[part] += cpu
		u.peak[part] = max(u.peak[part], peak)
	}
	return u, nil
}

// total returns the CPU time of all parts.
func (u usage) total() float64 {
	var sum float64
	for _, cpu := range u.cpu {
		sum += cpu
	}
	return sum
}

// cpuOf returns the CPU time in seconds of a process and of those of its children that have ended (proc(5),
// stat: utime, stime, cutime, cstime).
func cpuOf(pid int) (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program is in parentheses and can contain spaces.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const utime = 14 - 3 // the first of these fields is the third of the file
	sum := 0
	for _, field := range fields[utime : utime+4] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return float64(sum) / ticks, nil
}

// idleTime returns the seconds that the CPUs of the computer had nothing to do since it started (proc(5), stat: idle and
// iowait).
func idleTime() (float64, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	var name string
	var user, nice, system, idle, iowait int
	_, err = fmt.Sscan(string(stat), &name, &user, &nice, &system, &idle, &iowait)
	return float64(idle+iowait) / ticks, err
}

// peakOf returns the largest resident memory of a process in MiB since [resetPeaks].
func peakOf(pid int) (float64, error) {
	number, _, _ := strings.Cut(statusField(fmt.Sprintf("/proc/%d", pid), "VmHWM:"), " ")
	kib, err := strconv.Atoi(number)
	return math.Round(float64(kib)/102.4) / 10, err
}

// resetPeaks makes the largest memory of each server its present one (proc(5), clear_refs: 5).
func resetPeaks(servers map[*process.Running]int) error {
	for _, pid := range servers {
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
			return err
		}
	}
	return nil
}
