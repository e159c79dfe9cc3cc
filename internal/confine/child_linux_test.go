package confine_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// stays are what a second process does in these tests.
var stays = map[string]func(){
	"waiting": func() {
		for {
			_ = syscall.Pause()
		}
	},
	"endless": func() {
		for {
			_ = os.Getpid()
		}
	},
	"limit": func() {
		var limit syscall.Rlimit
		_ = syscall.Getrlimit(syscall.RLIMIT_CPU, &limit)
		fmt.Println(limit.Max)
		os.Exit(0)
	},
}

// A render that does not end is ended, and the first process says why.
func TestTimeIsLimited(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -t 1 && exec "$0" generate`, self)
	cmd.Env = []string{"ENDING=endless"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.Error(t, cmd.Run())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Equal(t, "vmrender-cmp generate: needs more than 1s of CPU time, which is all that one render may use; "+
		"see what its templates and charts repeat, or divide it among several Applications\n", stderr.String())
}

// The second process has the limit even if the first one had none.
func TestTimeOfSecondProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "generate")
	cmd.Env = []string{"ENDING=limit"}
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "generate\n"+strconv.Itoa(confine.Seconds)+"\n", string(out))
}

// Whatever signal ends the first process alone, the second one does not go on.
func TestSignalsReachTheSecondProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("programs inherit that a signal is ignored, as under nohup")
			}
			cmd := exec.CommandContext(t.Context(), self, "generate")
			cmd.Env = []string{"ENDING=waiting"}
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "generate", strings.TrimSpace(line))
			require.NoError(t, cmd.Process.Signal(sent))
			// The second process has the other end of the pipe: it ends only with that process.
			_, err = io.Copy(io.Discard, stdout)
			require.NoError(t, err)
			require.Error(t, cmd.Wait())
		})
	}
}
