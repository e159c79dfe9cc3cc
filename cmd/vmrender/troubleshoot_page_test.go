package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	troubleRow  = regexp.MustCompile(`(?m)^\| (.+?) \| .* <!-- ([\w ]+) --> \|$`)
	pageRow     = regexp.MustCompile(`(?m)^\| [^-Y]`)
	codeInRow   = regexp.MustCompile("`([^`]+)`")
	testOrTable = regexp.MustCompile(`_test\.go$|\.txtar$|/states\.yaml$|/testdata/`)
)

// Each line of docs/how-to/troubleshoot.md names the tests that reproduce its symptom, in text that readers do not
// see. The words of the symptom are in tests or in the examples of health checks.
func TestTroubleshootPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/troubleshoot.md")
	require.NoError(t, err)
	page, tests := string(text), everyTest(t, "../..")
	rows := troubleRow.FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, rows)
	require.Len(t, pageRow.FindAllString(page, -1), len(rows), "each row names its tests")
	for _, row := range rows {
		for name := range strings.FieldsSeq(row[2]) {
			seen := strings.Contains(tests, "func "+name+"(t *testing.T)")
			require.True(t, seen, "no test %s", name)
		}
		for _, symptom := range codeInRow.FindAllStringSubmatch(row[1], -1) {
			for part := range strings.SplitSeq(symptom[1], "…") {
				seen := strings.Contains(tests, strings.TrimSpace(part))
				require.True(t, seen, "no test sees %q", part)
			}
		}
	}
}

// everyTest returns the text of all tests below root and of the tables that they read. A script counts as a test with
// the script's name.
func everyTest(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !testOrTable.MatchString(filepath.ToSlash(path)) {
			return err
		}
		if name, isScript := strings.CutSuffix(entry.Name(), ".txtar"); isScript {
			all.WriteString("func " + name + "(t *testing.T)\n")
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	}))
	return all.String()
}
