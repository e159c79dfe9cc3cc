package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDueSpreadsRoundsEvenly(t *testing.T) {
	for _, test := range []struct {
		passes, rounds int
		want           []int
	}{
		{passes: 6, rounds: 6, want: []int{0, 1, 2, 3, 4, 5}},
		{passes: 6, rounds: 3, want: []int{1, 3, 5}},
		{passes: 40, rounds: 5, want: []int{7, 15, 23, 31, 39}},
		{passes: 5, rounds: 2, want: []int{2, 4}},
	} {
		var got []int
		for pass := range test.passes {
			if due(pass, test.passes, test.rounds) {
				got = append(got, pass)
			}
		}
		require.Equal(t, test.want, got)
	}
}

func TestMedian(t *testing.T) {
	require.Equal(t, int64(3), median([]int64{9, 1, 3}))
	require.Equal(t, 2*time.Second, median([]time.Duration{2 * time.Second, time.Second}))
}

func TestMeasure(t *testing.T) {
	launch := filepath.Join(t.TempDir(), "launch")
	require.NoError(t, goBuild(t.Context(), ".", launch, "./launch"))

	t.Run("what a command costs", func(t *testing.T) {
		got, err := shell("echo $WORD >&2; echo hello; cd /").measure(t.Context(), launch)
		require.NoError(t, err)
		require.Equal(t, int64(len("hello\n")), got.Output)
		require.Positive(t, got.CPU)
		require.Greater(t, got.Peak, int64(256<<10))
		require.Less(t, got.Peak, int64(64<<20))
	})
	t.Run("output larger than a pipe", func(t *testing.T) {
		got, err := shell("head -c 1000000 /dev/zero").measure(t.Context(), launch)
		require.NoError(t, err)
		require.Equal(t, int64(1_000_000), got.Output)
	})
	t.Run("a command that fails", func(t *testing.T) {
		_, err := shell("echo $WORD >&2; exit 3").measure(t.Context(), launch)
		require.ErrorContains(t, err, "exit status 3: from the environment")
	})
	t.Run("a command that is not there", func(t *testing.T) {
		_, err := command{Path: "/does/not/exist"}.measure(t.Context(), launch)
		require.ErrorContains(t, err, "no such file")
	})
	t.Run("output that changes", func(t *testing.T) {
		counter := filepath.Join(t.TempDir(), "counter")
		changing := &series{Tool: "grow", Rounds: 2, Command: shell("echo x >> " + counter + "; cat " + counter)}
		err := measureAll(t.Context(), launch, []*series{changing}, func(int, int) {})
		require.ErrorContains(t, err, "4 bytes were written, and 2 the first time")
	})
	t.Run("output that is empty", func(t *testing.T) {
		err := measureAll(t.Context(), launch, []*series{{Rounds: 1, Command: shell("true")}}, func(int, int) {})
		require.ErrorContains(t, err, "nothing was written")
	})
}

func shell(script string) command {
	return command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"WORD=from the environment"}}
}

func TestParseSampleRefusesOtherText(t *testing.T) {
	_, _, err := parseSample("1 2 three")
	require.ErrorContains(t, err, "reading the report of launch")
}
