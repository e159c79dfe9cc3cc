package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMarkdown(t *testing.T) {
	made := report{Cores: 2, Go: "1.26.8", System: "linux/amd64", Pages: "always", Helm: "v3.22.0", Rounds: 5, Series: linear(), Known: knownDifferences, RealPath: rendered()}
	got, err := made.markdown()
	require.NoError(t, err)
	golden := filepath.Join("testdata", "performance.md")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestInstructionsAreAColumnWhenCounted(t *testing.T) {
	all := linear()
	require.NotContains(t, newReport("v3.22.0", 5, all).Table(), "instructions")
	for _, s := range all {
		s.Instructions = 25_400 * int64(s.Size)
	}
	require.Contains(t, newReport("v3.22.0", 5, all).Table(), "| 25.4 k |")
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.001234: "0.00123", 1: "1", 1.5: "1.5", 2.345: "2.35", 99.96: "100", 123.4: "123", 12345: "12345",
	} {
		require.Equal(t, want, number(value))
	}
}

func TestThousands(t *testing.T) {
	require.Equal(t, "1", thousands(1))
	require.Equal(t, "999", thousands(999))
	require.Equal(t, "1,000", thousands(1000))
	require.Equal(t, "1,000,000", thousands(1_000_000))
}
