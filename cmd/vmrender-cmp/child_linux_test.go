package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program that renders a platform ends with the sidecar, whatever signal ends the latter alone.
func TestSignalsReachTheProgram(t *testing.T) {
	bin := build(t, ".")
	// In place of vmrender, a program that prints its process ID and never ends: it waits for a writer to a pipe.
	script := "#!/bin/sh\necho $$ >&3\nexec cat \"$0.pipe\"\n"
	require.NoError(t, syscall.Mkfifo(filepath.Join(bin, program+".pipe"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(bin, program), []byte(script), 0o700))
	dir := t.TempDir()
	write(t, dir, "platform.yaml", text{start: platformHeader + "layers: {network: {}}\n"})
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sent.String(), func(t *testing.T) {
			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "vmrender-cmp"), "generate")
			cmd.Dir, cmd.ExtraFiles = dir, []*os.File{writer}
			cmd.Env = append(os.Environ(), "ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=.",
				`ARGOCD_APP_PARAMETERS=[{"name": "layer", "string": "network"}]`)
			require.NoError(t, cmd.Start())
			require.NoError(t, writer.Close())
			started := bufio.NewReader(reader)
			line, err := started.ReadString('\n')
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // if it has not ended
			require.NoError(t, cmd.Process.Signal(sent))
			require.Error(t, cmd.Wait())
			// Both processes have the other end of the pipe: it ends with the last of them.
			_, err = io.Copy(io.Discard, started)
			require.NoError(t, err)
		})
	}
}
