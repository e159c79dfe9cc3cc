package source

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
)

// Severity separates errors, which stop the rendering, from warnings, which never
// change the output.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// Diagnostic is one problem at one place.
type Diagnostic struct {
	Pos
	Severity Severity
	Rule     rule.ID // the kind of problem, such as "unknown-key"; never empty
	Path     string  // keys from the document's root, such as "vms.web01.memory"; may be empty
	Message  string  // the problem; then, after a semicolon, what is accepted

	unknown *suggest.Message // has the rest of the message, or is nil
}

// Diagnostics collects problems. The zero value is ready to use; it is not safe for concurrent use.
type Diagnostics struct {
	list []Diagnostic
}

// String returns "file:line:col", without the parts that are not known.
func (p Pos) String() string {
	parts := make([]string, 0, 3)
	if p.File != "" {
		parts = append(parts, p.File)
	}
	if p.Line > 0 {
		parts = append(parts, strconv.Itoa(p.Line))
		if p.Col > 0 {
			parts = append(parts, strconv.Itoa(p.Col))
		}
	}
	return strings.Join(parts, ":")
}

// String returns "file:line:col: path: message", without the parts that are empty. A
// warning has the word "warning" before its path.
func (d Diagnostic) String() string {
	parts := make([]string, 0, 4)
	if p := d.Pos.String(); p != "" {
		parts = append(parts, p)
	}
	if d.Severity == Warning {
		parts = append(parts, "warning")
	}
	if d.Path != "" {
		parts = append(parts, d.Path)
	}
	return strings.Join(append(parts, d.Message), ": ")
}

// Add adds one problem.
func (d *Diagnostics) Add(problem Diagnostic) { d.list = append(d.list, problem) }

// Errorf adds an error; path may be empty.
//
// If the last argument is a [suggest.Message], the format must end with it, and its end is composed by
// [Diagnostics.Sorted].
func (d *Diagnostics) Errorf(pos Pos, id rule.ID, path, format string, args ...any) {
	d.add(Diagnostic{Pos: pos, Severity: Error, Rule: id, Path: path}, format, args)
}

// Warnf adds a warning, like [Diagnostics.Errorf].
func (d *Diagnostics) Warnf(pos Pos, id rule.ID, path, format string, args ...any) {
	d.add(Diagnostic{Pos: pos, Severity: Warning, Rule: id, Path: path}, format, args)
}

func (d *Diagnostics) add(problem Diagnostic, format string, args []any) {
	if n := len(args) - 1; n >= 0 {
		if unknown, ok := args[n].(suggest.Message); ok {
			problem.unknown = &unknown
			args = append(slices.Clip(args[:n]), unknown.Problem)
		}
	}
	problem.Message = fmt.Sprintf(format, args...)
	d.Add(problem)
}

// Merge adds the problems of other, which may be nil, in their order.
func (d *Diagnostics) Merge(other *Diagnostics) {
	if other != nil {
		d.list = append(d.list, other.list...)
	}
}

// HasErrors reports whether there is any error; warnings do not count.
func (d *Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(d.list, func(p Diagnostic) bool { return p.Severity == Error })
}

// HasErrorsBut reports whether there is any error of another rule.
func (d *Diagnostics) HasErrorsBut(id rule.ID) bool {
	return slices.ContainsFunc(d.list, func(p Diagnostic) bool { return p.Severity == Error && p.Rule != id })
}

// HasRule reports whether there is any problem of one of the rules.
func (d *Diagnostics) HasRule(ids ...rule.ID) bool {
	return slices.ContainsFunc(d.list, func(p Diagnostic) bool { return slices.Contains(ids, p.Rule) })
}

// Len returns the number of problems added, repetitions included.
func (d *Diagnostics) Len() int { return len(d.list) }

// Sorted returns the problems by file, line, column and message. If several have the
// same position and message, it returns only the one with the first path: an invalid
// value that many VMs inherit is one problem. In a list so long that the search for what unknown names mean would take
// seconds, the last of them have no suggestion, or that of the same message before.
func (d *Diagnostics) Sorted() []Diagnostic {
	list := slices.Clone(d.list)
	slices.SortFunc(list, func(a, b Diagnostic) int { return cmp.Or(compare(a, b), cmp.Compare(a.Path, b.Path)) })
	list = slices.CompactFunc(list, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
	c := completion{mostSearched, map[searched]string{}}
	for i := range list {
		c.complete(&list[i])
	}
	return list
}

// mostSearched is how many known names are searched to complete the messages of one list.
const mostSearched = 1 << 20

// completion completes messages.
type completion struct {
	left int // names to search
	ends map[searched]string
}

// searched is a message for which names were searched.
type searched struct {
	message string
	names   int
}

// complete composes the end of a message if enough names are left to be searched.
func (c *completion) complete(d *Diagnostic) {
	unknown := d.unknown
	if d.unknown = nil; unknown == nil || unknown.End == nil {
		return
	}
	key := searched{d.Message, unknown.Names}
	if c.left -= unknown.Names; c.left >= 0 {
		c.ends[key] = "; " + unknown.End()
	}
	d.Message += c.ends[key]
}

func compare(a, b Diagnostic) int {
	return cmp.Or(a.Compare(b.Pos), cmp.Compare(a.Message, b.Message))
}

// Relabel replaces a directory at the start of the names of files, in positions and in
// messages: a file /tmp/x/a.yaml in the directory /tmp/x becomes "main:a.yaml" with the
// label "main:".
func (d *Diagnostics) Relabel(dir, label string) {
	dir += string(filepath.Separator)
	for i := range d.list {
		p := &d.list[i]
		if rest, ok := strings.CutPrefix(p.File+string(filepath.Separator), dir); ok {
			p.File = label + filepath.ToSlash(filepath.Clean(rest))
		}
		p.Message = strings.ReplaceAll(p.Message, dir, label)
	}
}
