// Package report writes the results of commands in formats for users and programs,
// each format in a file of its own.
package report

import (
	"io"
	"slices"

	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

// Validation is the result of checking a fleet.
type Validation struct {
	// Version of vmrender, for formats that name the tool.
	Version string
	// VMs is the number of VMs checked; 0 if the fleet could not be read.
	VMs int
	// Diagnostics are the problems, in the order in which they are reported.
	Diagnostics []source.Diagnostic
	// All shows each problem, however often it repeats.
	All bool
}

// Format is an output format for a [Validation].
type Format struct {
	Name  string // such as "sarif"
	Write func(io.Writer, Validation) error
}

// Formats returns all formats, the one for users first.
func Formats() []Format {
	return []Format{{"text", Text}, {"json", JSON}, {"sarif", SARIF}, {"github", GitHub}}
}

// String returns the format's name.
func (f Format) String() string { return f.Name }

// HasErrors reports whether there are errors; warnings do not count.
func (v Validation) HasErrors() bool {
	return slices.ContainsFunc(v.Diagnostics, func(d source.Diagnostic) bool { return d.Severity == source.Error })
}

// Text writes the problems for users, as [problems.Text] does.
func Text(w io.Writer, v Validation) error { return problems.Text(w, v.Diagnostics, v.All) }

// level returns the name of a severity, which is the same in JSON, SARIF and GitHub.
func level(s source.Severity) string {
	if s == source.Warning {
		return "warning"
	}
	return "error"
}

// text returns a problem without its position, for formats with separate fields for
// the position.
func text(d source.Diagnostic) string {
	if d.Path == "" {
		return d.Message
	}
	return d.Path + ": " + d.Message
}
