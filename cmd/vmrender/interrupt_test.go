package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestInterruptEndsReading checks that a command that waits for standard input ends when the user interrupts it.
func TestInterruptEndsReading(t *testing.T) {
	for _, args := range [][]string{
		{"status", "../../examples/lifecycle", "--live", "-"},
		{"plan", "../../examples/lifecycle", "--live", "-"},
		{"import", "-"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, "vmrender", args...)
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		// More than a pipe holds: when it is written, the command is reading.
		_, err = stdin.Write(bytes.Repeat([]byte("# "), 1<<20))
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &exit, args)
		status, ok := exit.Sys().(syscall.WaitStatus)
		require.True(t, ok)
		require.Equal(t, syscall.SIGINT, status.Signal(), args)
		cancel()
	}
}
