// Package report writes the results of commands in formats for people and programs,
// each format in a file of its own.
package report

import (
	"fmt"
	"io"
	"strings"

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
	// All shows people each problem, however often it repeats.
	All bool
}

// Format is an output format for a [Validation].
type Format struct {
	Name  string // such as "sarif"
	Write func(io.Writer, Validation) error
}

// Formats returns all formats, the one for people first.
func Formats() []Format {
	return []Format{{"text", Text}, {"json", JSON}, {"sarif", SARIF}, {"github", GitHub}}
}

// String returns the format's name.
func (f Format) String() string { return f.Name }

// HasErrors reports whether there are errors; warnings do not count.
func (v Validation) HasErrors() bool {
	errors, _, _ := v.count()
	return errors > 0
}

// Summary returns a line such as "3 errors and 1 warning in 2 files", or "" for
// fewer than two problems, which need no summary.
func (v Validation) Summary() string {
	if len(v.Diagnostics) < 2 {
		return ""
	}
	errors, warnings, files := v.count()
	var parts []string
	if errors > 0 {
		parts = append(parts, Count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, Count(warnings, "warning"))
	}
	line := strings.Join(parts, " and ")
	if files == 0 {
		return line
	}
	return line + " in " + Count(files, "file")
}

// Count returns a number with its noun, such as "1 VM" or "12 VMs".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (v Validation) count() (errors, warnings, files int) {
	seen := map[string]bool{"": true}
	for _, d := range v.Diagnostics {
		if d.Severity == source.Warning {
			warnings++
		} else {
			errors++
		}
		if !seen[d.File] {
			seen[d.File] = true
			files++
		}
	}
	return errors, warnings, files
}

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
