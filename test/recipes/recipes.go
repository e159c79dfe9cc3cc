// Package recipes checks the recipes in examples/ci, and the workflows, action, and hook of this repository. It lints
// them with the linter for GitHub workflows (rhysd/actionlint) and runs their scripts against a forge that records its
// requests.
package recipes

import (
	"strings"

	"github.com/rhysd/actionlint"
)

// Lint returns the linter's messages about a workflow, one per line.
func Lint(path string, text []byte) ([]string, error) {
	var log strings.Builder
	linter, err := actionlint.NewLinter(&log, &actionlint.LinterOptions{})
	if err != nil {
		return nil, err
	}
	found, err := linter.Lint(path, text, nil)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Error())
	}
	return lines, err
}
