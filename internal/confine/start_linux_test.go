package confine_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// TestMain turns the test's program into the second process if its arguments require it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == confine.Worker {
		fmt.Println(os.Args[2])
		if end := stays[os.Getenv("ENDING")]; end != nil {
			end()
		}
		endings[os.Getenv("ENDING")].end()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// endings are the ways in which a second process ends, and the expected reports of the
// first.
var endings = map[string]struct {
	end    func()
	status int
	stderr string
}{
	"success": {end: func() {}},
	"success with warnings": {
		end:    func() { fmt.Fprint(os.Stderr, "careful\n") },
		stderr: "careful\n",
	},
	"invalid": {
		end:    func() { fmt.Fprint(os.Stderr, "wrong\n"); os.Exit(1) },
		status: 1, stderr: "wrong\n",
	},
	"invalid, in the words of a crash": {
		end:    func() { fmt.Fprint(os.Stderr, "panic: at the disco\n"); os.Exit(1) },
		status: 1, stderr: "panic: at the disco\n",
	},
	"panic": {
		end:    func() { panic("lost") },
		status: 1, stderr: "vmrender-cmp generate: stopped: panic: lost\n",
	},
	"memory": {
		end:    func() { hoard() },
		status: 1, stderr: "vmrender-cmp generate: needs more than 256 MiB of memory, " +
			"which is all that one render may use; divide the fleet among several Applications\n",
	},
	"killed": {
		end:    func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
		status: 1, stderr: "vmrender-cmp generate: signal: killed\n",
	},
	"another status": {
		end:    func() { fmt.Fprint(os.Stderr, "what now\n"); os.Exit(3) },
		status: 1, stderr: "what now\n",
	},
	"endless text": {
		end:    func() { fmt.Fprint(os.Stderr, strings.Repeat("0123456789abcde\n", 1<<20)); os.Exit(1) },
		status: 1, stderr: strings.Repeat("0123456789abcde\n", 4<<10),
	},
}

var hoarded []byte

// hoard allocates memory until there is none left.
func hoard() {
	for size := 1 << 20; ; size *= 2 {
		hoarded = bytes.Repeat([]byte{1}, size)
	}
}

// The first process reports how the second one ended, in lines that users understand.
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
