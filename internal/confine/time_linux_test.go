package confine_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// others are the renders of these tests.
var others = map[string]func() (message string, status int){
	"endless": endless,
	"endless and watched": func() (string, int) {
		watched()
		return endless()
	},
	"limits": func() (string, int) {
		var limit syscall.Rlimit
		_ = syscall.Getrlimit(syscall.RLIMIT_CPU, &limit)
		return fmt.Sprint(limit.Cur, limit.Max), 0
	},
}

func endless() (message string, status int) {
	for {
		_ = os.Getpid()
	}
}

// A render that does not end is ended, and says why.
func TestTimeIsLimited(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, ending := range []string{"endless", "endless and watched"} {
		t.Run(ending, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -t 2 && exec "$0" generate`, self)
			cmd.Env = []string{"ENDING=" + ending}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			require.Error(t, cmd.Run())
			require.Equal(t, 1, cmd.ProcessState.ExitCode())
			require.Equal(t, "vmrender-cmp generate: needs more than 1s of CPU time, which is all that one render may use; "+
				"see what its templates and charts repeat, or divide it among several Applications\n", stderr.String())
		})
	}
}

// A render is limited even if the process that starts it is not.
func TestTimeOfRender(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "generate")
	cmd.Env = []string{"ENDING=limits"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run())
	require.Equal(t, fmt.Sprint(confine.Seconds, confine.Seconds+1), stderr.String())
}
