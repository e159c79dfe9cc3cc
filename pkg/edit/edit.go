// Package edit changes single keys of YAML text and writes new YAML as a user would.
// Comments, order, layout, quotes and line ends of everything else stay as they are:
// libraries that print a parsed tree keep at most the comments.
//
// [Apply] never returns text that it did not prove: it reads the result again and
// compares it with the tree that the changes make of the old one.
package edit

import (
	"errors"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Change sets or removes one value.
type Change struct {
	// Path is the keys from the document's root. An item of a list has the form "[0]";
	// the number of items appends one. Maps on the way that are missing are created.
	Path []string
	// Value replaces what is there, or is nil to remove the key or item. Only what
	// differs is written: equal parts of maps and lists keep their text.
	Value *source.Node
	// Comment is the text of a comment without "#", of one line or several. It follows a new
	// key in its line if it fits there; otherwise, and if a value is replaced, it is above.
	// In braces, it is above the line. It is not written if the value does
	// not change, or if the text is JSON, which has no comments.
	Comment string
}

const byteOrderMark = "\ufeff"

// Apply returns a YAML text with the changes, in their order; a later path is one in the
// document as the earlier changes leave it. In a text of several documents, a change is
// made in the one that already has the longest part of its path, the first of those.
//
// name is the text's name in errors. It is an error to remove what is not there, to set a
// key in a scalar or list, and to change what an anchor, alias, tag or merge key ("<<")
// takes part in. The error contains all problems, a line each, by position.
func Apply(name string, text []byte, changes ...Change) ([]byte, error) {
	docs, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	wanted, comments, err := target(docs, changes)
	if err != nil {
		return nil, err
	}
	return rewrite(name, text, docs, wanted, comments, false)
}

// Replacement puts a scalar in the place of another one, which is at its position in the text.
type Replacement struct{ Old, New *source.Node }

// Replace returns a YAML text with other scalars, in the way of [Apply]. A scalar that aliases or merge keys use
// changes for all of them. Replacements of one position must be the same. It is an error if the text does not contain
// the old scalar as it is, for example because a template makes it.
func Replace(name string, text []byte, list ...Replacement) ([]byte, error) {
	docs, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	wanted, err := replaced(docs, list)
	if err != nil {
		return nil, err
	}
	return rewrite(name, text, docs, wanted, nil, true)
}

// rewrite returns the text of documents as that of the wanted ones, with comments of values that are set. together
// allows values with an anchor to change with all their aliases.
func rewrite(
	name string, text []byte, docs, wanted []*source.Node, comments map[*source.Node]string, together bool,
) ([]byte, error) {
	body := strings.TrimPrefix(string(text), byteOrderMark)
	e := newEditor(docs[0].File, body, comments)
	e.together = together
	for i, doc := range docs {
		if doc != wanted[i] {
			e.document(doc, wanted[i], len(docs) == 1)
		}
	}
	if err := joined(e.problems); err != nil {
		return nil, err
	}
	out := []byte(string(text[:len(text)-len(body)]) + e.apply())
	if err := prove(name, out, wanted); err != nil {
		if shared := joined(e.shared); shared != nil {
			return nil, shared
		}
		return nil, err
	}
	return out, nil
}

// parse returns the documents of a text, or all its problems.
func parse(name string, text []byte) ([]*source.Node, error) {
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: name, Data: text}, &diags)
	problems := make([]problem, 0, diags.Len())
	for _, d := range diags.Sorted() {
		problems = append(problems, problem{d})
	}
	return docs, joined(problems)
}

// prove returns an error unless the text contains the given documents.
func prove(name string, text []byte, wanted []*source.Node) error {
	got, err := parse(name, text)
	if err == nil && slices.EqualFunc(got, wanted, (*source.Node).Equal) {
		return nil
	}
	return newProblem(&source.Node{File: &source.File{Name: name}}, "",
		"the changes cannot be written into this file by a program; make them manually")
}

// Problems returns the problems in an error of this package, or nil if it has none.
func Problems(err error) []source.Diagnostic {
	if p, ok := err.(problem); ok { //nolint:errorlint // errors of other packages can wrap several
		return []source.Diagnostic{p.Diagnostic}
	}
	var out []source.Diagnostic
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			out = append(out, Problems(err)...)
		}
	}
	return out
}

// problem is an error at the position of a value.
type problem struct{ source.Diagnostic }

func (p problem) Error() string { return p.String() }

func newProblem(at *source.Node, path, message string) problem {
	return problem{source.Diagnostic{Pos: at.Pos(), Path: path, Message: message}}
}

// joined returns problems as one error, sorted by position, or nil if there are none.
func joined(problems []problem) error {
	slices.SortStableFunc(problems, func(a, b problem) int { return a.Compare(b.Pos) })
	list := make([]error, 0, len(problems))
	for _, p := range problems {
		list = append(list, p)
	}
	return errors.Join(list...)
}
