package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// examplesDir contains the examples of docs/reference/diagnostics.md: an archive ID.txtar for each
// identifier, and further ones as ID+WORD.txtar. The files under wrong/ and right/ are two
// trees. The wrong tree is reported, the right one is not. The file `says` is the output of
// `vmrender validate` for the wrong tree. A file `args` in a tree contains arguments, one per
// line. The text before the files is for what no tree can show.
//
// A tree with only a vms.yaml gets a plain fleet.yaml, a tree with only a fleet.yaml a plain
// vms.yaml, and an empty tree both. A test of cmd/vmrender runs all examples.
const examplesDir = "internal/gen/diagnostics"

//go:embed diagnostics.md.tmpl
var diagnosticsTemplate string

// ruleExample is a wrong input, what is reported for it, and a right input.
type ruleExample struct {
	Text, Says   string
	Wrong, Right exampleTree
}

type exampleTree struct {
	Title string
	Files []exampleFile
}

type exampleFile struct{ Name, Text string }

// diagnosticsReference returns docs/reference/diagnostics.md.
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

// IsArgs reports whether the file contains arguments of the command.
func (f exampleFile) IsArgs() bool { return f.Name == "args" }

// Line returns the file on one line.
func (f exampleFile) Line() string { return strings.ReplaceAll(f.Text, "\n", " ") }

// Severity returns "Error", "Warning" or "Error or warning", as in the examples.
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

// Links returns the identifiers of a group, each with a link to its section.
func (g ruleGroup) Links() string {
	list := make([]string, 0, len(g.Rules))
	for _, r := range g.Rules {
		list = append(list, fmt.Sprintf("[%s](#%s)", r.ID, r.ID))
	}
	return strings.Join(list, " · ")
}
