package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// What docs/environments.md shows of a terminal is true, in examples/environments.
func TestEnvironmentsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/environments.md")
	require.NoError(t, err)
	t.Chdir("../../examples/environments")
	checked := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(string(page), -1) {
		for _, command := range strings.Split(block[1], "$ vmrender ")[1:] {
			line, want, _ := strings.Cut(command, "\n")
			if want == "" {
				continue // needs a repository; examples/apps has the result
			}
			status, stdout, stderr := run(strings.Fields(line)...)
			require.Equal(t, statusOK, status, stderr)
			require.Equal(t, want, stdout+stderr, line)
			checked++
		}
	}
	require.Equal(t, 3, checked)
	overlay, err := os.ReadFile("env/dev.yaml")
	require.NoError(t, err)
	_, settings, _ := strings.Cut(string(overlay), "\n") // the first line is a comment
	require.Contains(t, string(page), settings, "the overlay that the page shows")
}
