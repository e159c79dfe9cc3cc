package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// examplesDir holds the examples of docs/diagnostics.md: an archive ID.txtar, and more of
// the same identifier as ID+WORD.txtar. Its files under wrong/ and right/ are two trees, of
// which the first is reported and the second is not; `says` is what `vmrender validate`
// prints of the first. A file `args` in a tree holds arguments, one a line. The text before
// the files is for what no tree can show.
//
// A tree with a vms.yaml gets a plain fleet.yaml if it has none, one with nothing but a
// fleet.yaml a plain vms.yaml, and an empty one both. A test of cmd/vmrender runs all of them.
const examplesDir = "internal/gen/diagnostics"

//go:embed diagnostics.md.tmpl
var diagnosticsTemplate string

// ruleExample is a wrong input, what is said of it, and a right one.
type ruleExample struct {
	Text, Says   string
	Wrong, Right exampleTree
}

type exampleTree struct {
	Title string
	Files []exampleFile
}

type exampleFile struct{ Name, Text string }

// diagnosticsReference makes docs/diagnostics.md.
func diagnosticsReference(groups []ruleGroup) ([]byte, error) {
	for _, g := range groups {
		for i := range g.Rules {
			r := &g.Rules[i]
			var err error
			if r.Examples, err = readExamples(r.ID); err != nil {
				return nil, err
			}
		}
	}
	return execute("diagnostics.md", diagnosticsTemplate, groups)
}

// readExamples reads the archives of one identifier.
func readExamples(id string) ([]ruleExample, error) {
	more, err := filepath.Glob(filepath.Join(examplesDir, id+"+*.txtar"))
	if err != nil {
		return nil, err
	}
	var list []ruleExample
	for _, name := range append([]string{filepath.Join(examplesDir, id+".txtar")}, more...) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, newExample(archive))
	}
	return list, nil
}

func newExample(archive *txtar.Archive) ruleExample {
	e := ruleExample{
		Text:  strings.TrimSpace(string(archive.Comment)),
		Wrong: exampleTree{Title: "Wrong"}, Right: exampleTree{Title: "Right"},
	}
	for _, f := range archive.Files {
		dir, name, _ := strings.Cut(f.Name, "/")
		file := exampleFile{name, strings.TrimRight(string(f.Data), "\n")}
		switch dir {
		case "says":
			e.Says = file.Text
		case "wrong":
			e.Wrong.Files = append(e.Wrong.Files, file)
		case "right":
			e.Right.Files = append(e.Right.Files, file)
		}
	}
	return e
}

// IsArgs reports whether the file holds arguments of the command.
func (f exampleFile) IsArgs() bool { return f.Name == "args" }

// Line is the file on one line.
func (f exampleFile) Line() string { return strings.ReplaceAll(f.Text, "\n", " ") }

// Severity is "Error", "Warning", or both, as the examples show it.
func (r ruleEntry) Severity() string {
	warns := func(e ruleExample) bool { return strings.Contains(e.Says, ": warning: ") }
	warnings := slices.DeleteFunc(slices.Clone(r.Examples), func(e ruleExample) bool { return !warns(e) })
	switch len(warnings) {
	case 0:
		return "Error"
	case len(r.Examples):
		return "Warning"
	}
	return "Error or warning"
}

// Links are the identifiers of a group, each with a link to its section.
func (g ruleGroup) Links() string {
	list := make([]string, 0, len(g.Rules))
	for _, r := range g.Rules {
		list = append(list, fmt.Sprintf("[%s](#%s)", r.ID, r.ID))
	}
	return strings.Join(list, " · ")
}
