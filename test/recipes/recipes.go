// Package recipes judges the recipes in examples/ci, the workflows of this repository, its action and its hook: by the linter of GitHub's workflows
// (rhysd/actionlint), and by running their scripts against a forge that remembers what it
// is told.
package recipes

import (
	"strings"

	"github.com/rhysd/actionlint"
)

// Lint returns what the linter has to say about a workflow, a line each.
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
