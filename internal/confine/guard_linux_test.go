package confine_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// TestMain turns the test's program into a render if its arguments require it.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "generate" {
		render(os.Getenv("ENDING"))
	}
	os.Exit(m.Run())
}

// render ends in one of the ways of a render.
func render(ending string) {
	end := confine.Guard("generate")
	fmt.Println("generate")
	run := endings[ending].run
	if others[ending] != nil {
		run = others[ending]
	}
	message, status := run()
	end()
	fmt.Fprint(os.Stderr, message)
	os.Exit(status)
}

// endings are the ways in which a render ends, each with the message and the status that users see.
var endings = map[string]struct {
	run    func() (message string, status int)
	status int
	stderr string
}{
	"success": {run: func() (string, int) { return "", 0 }},
	"success with warnings": {
		run:    func() (string, int) { return "careful\n", 0 },
		stderr: "careful\n",
	},
	"invalid": {
		run:    func() (string, int) { return "wrong\n", 1 },
		status: 1, stderr: "wrong\n",
	},
	"invalid, while it is watched": {
		run:    func() (string, int) { watched(); return "wrong\n", 1 },
		status: 1, stderr: "wrong\n",
	},
	"invalid, in the words of a crash": {
		run:    func() (string, int) { watched(); return "panic: at the disco\n", 1 },
		status: 1, stderr: "panic: at the disco\n",
	},
	"success, with a small heap": {run: func() (string, int) {
		if isWatched() {
			return "another process has started\n", 1
		}
		return "", 0
	}},
	"panic": {
		run:    func() (string, int) { watched(); panic("lost") },
		status: 2, stderr: "vmrender-cmp generate: stopped: panic: lost\n",
	},
	"memory": {
		run:    func() (string, int) { watched(); hoard(); return "", 0 },
		status: 2, stderr: "vmrender-cmp generate: needs more than 256 MiB of memory, " +
			"which is all that one render may use; divide the fleet among several Applications\n",
	},
	"killed": {
		run:    func() (string, int) { watched(); _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
		status: -1,
	},
	"endless text": {
		run:    func() (string, int) { watched(); panic(strings.Repeat("0123456789abcde\n", 8<<10)) },
		status: 2, stderr: "vmrender-cmp generate: stopped: panic: 0123456789abcde\n",
	},
}

// watched returns as soon as another process watches this one, because much is left after it has collected garbage.
func watched() {
	before, _ := os.Readlink("/proc/self/fd/2")
	hoarded = bytes.Repeat([]byte{1}, 2*confine.Small)
	runtime.GC()
	for now := before; now == before; now, _ = os.Readlink("/proc/self/fd/2") {
		runtime.Gosched()
	}
}

// isWatched reports whether another process watches this one after it has collected garbage, of which little was left.
func isWatched() bool {
	before, _ := os.Readlink("/proc/self/fd/2")
	for range 2 {
		collected := make(chan struct{})
		runtime.AddCleanup(new([64]byte), func(done chan struct{}) { close(done) }, collected)
		runtime.GC()
		<-collected
	}
	now, _ := os.Readlink("/proc/self/fd/2")
	return now != before
}

var hoarded []byte

// hoard allocates memory until there is none left.
func hoard() {
	for size := 1 << 20; ; size *= 2 {
		hoarded = bytes.Repeat([]byte{1}, size)
	}
}

// However a render ends, users get lines that they understand. The process that watches it, whose standard error is the
// same, ends with it.
func TestEndings(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for name, want := range endings {
		t.Run(name, func(t *testing.T) {
			if name == "memory" && confine.Raced {
				t.Skip("there is no limit under the race detector")
			}
			cmd := exec.CommandContext(t.Context(), self, "generate")
			cmd.Env = []string{"ENDING=" + name, "GOTRACEBACK=all", "GOMEMLIMIT=off"}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the status is compared
			require.Equal(t, "generate\n", stdout.String())
			require.Equal(t, want.stderr, stderr.String())
			require.Equal(t, want.status, cmd.ProcessState.ExitCode())
		})
	}
}
