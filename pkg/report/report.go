// Package report writes results in the forms that people and machines read:
// one file per format. It knows how to write a result, never how it is made.
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
	// VMs is how many virtual machines were checked; 0 where reading the fleet failed.
	VMs int
	// Diagnostics are the problems, in the order to report them.
	Diagnostics []source.Diagnostic
}

// Format is a form in which a [Validation] is reported.
type Format struct {
	Name  string // such as "sarif"
	Write func(io.Writer, Validation) error
}

// Formats returns all forms, that for people first.
func Formats() []Format {
	return []Format{{"text", Text}, {"json", JSON}, {"sarif", SARIF}, {"github", GitHub}}
}

// String returns the format's name.
func (f Format) String() string { return f.Name }

// HasErrors reports whether there is any error; warnings do not count.
func (v Validation) HasErrors() bool {
	errors, _, _ := v.count()
	return errors > 0
}

// Summary is one line such as "3 errors and 1 warning in 2 files". It is empty
// for fewer than two problems, which need no counting.
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

// Count gives a number with its noun, such as "1 VM" or "12 VMs".
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

// level is a severity's name, which JSON, SARIF and GitHub share.
func level(s source.Severity) string {
	if s == source.Warning {
		return "warning"
	}
	return "error"
}

// text is a problem without its position, for formats that carry that apart.
func text(d source.Diagnostic) string {
	if d.Path == "" {
		return d.Message
	}
	return d.Path + ": " + d.Message
}
