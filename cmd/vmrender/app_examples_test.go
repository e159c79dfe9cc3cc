package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// The files in examples/apps are the output of the command in their first line, run in
// this repository. With -update, they are written.
func TestAppExamples(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(examples, "apps", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	clone := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(clone, ".git"), 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(clone, "examples"), os.DirFS(examples)))
	t.Chdir(clone)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { checkExample(t, file) })
	}
}

func checkExample(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	args, isCommand := strings.CutPrefix(first, "# vmrender ")
	require.True(t, isCommand, "%s", first)
	words := csv.NewReader(strings.NewReader(args))
	words.Comma = ' '
	line, err := words.Read()
	require.NoError(t, err)
	status, stdout, stderr := run(line...)
	require.Equal(t, statusOK, status, stderr)
	golden.Equal(t, file, first+"\n# Written by \"make golden\"; do not edit.\n"+stdout)
}
