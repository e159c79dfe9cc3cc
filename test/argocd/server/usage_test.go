package server

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseStat(t *testing.T) {
	const stat = "42 (argocd (cmp) srv) S 1 42 42 0 -1 4194560 9 9 0 0 150 25 1000 3 20 0 12 0 99 1 1"
	got, err := parseStat(stat)
	require.NoError(t, err)
	require.Equal(t, Usage{Own: 1750 * time.Millisecond, Children: 10_030 * time.Millisecond}, got)

	for _, broken := range []string{"", "42 (x) S 1", "42 (x) S 1 2 3 4 5 6 7 8 9 10 a b c d"} {
		_, err := parseStat(broken)
		require.Error(t, err, broken)
	}
}

func TestParsePeak(t *testing.T) {
	got, err := parsePeak("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n")
	require.NoError(t, err)
	require.EqualValues(t, 2<<20, got)
	_, err = parsePeak("Name:\tx\n")
	require.Error(t, err)
}

func TestProcess(t *testing.T) {
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	start := func(script string) *Process {
		p, err := Start(shell, "named", t.TempDir(), []string{"-c", script}, nil)
		require.NoError(t, err)
		return p
	}

	t.Run("what it uses", func(t *testing.T) {
		const count = "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done"
		p := start(count + "; (" + count + "); echo ready; while :; do :; done")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, p.Await(ctx, func() error {
			if p.Log() != "ready\n" {
				return errors.New("not ready")
			}
			return nil
		}))
		used, err := p.Usage()
		require.NoError(t, err)
		require.Positive(t, used.Own)
		require.Positive(t, used.Children)
		require.Equal(t, Usage{Own: time.Second}, Usage{Own: used.Own + time.Second, Children: used.Children}.Less(used))
		require.NoError(t, p.ResetPeak())
		peak, err := p.Peak()
		require.NoError(t, err)
		require.Positive(t, peak)
		require.GreaterOrEqual(t, p.Kill(), peak)
		_, err = p.Usage()
		require.Error(t, err)
	})
	t.Run("one that ends before it is ready", func(t *testing.T) {
		p := start("echo no such flag; exit 3")
		err := p.Await(t.Context(), func() error { return exec.ErrNotFound })
		require.ErrorContains(t, err, "waiting for named: it has ended\nno such flag")
	})
}
