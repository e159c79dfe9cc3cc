package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rule"
)

type jsonReport struct {
	Valid       bool          `json:"valid"`
	VMs         int           `json:"vms"`
	Errors      int           `json:"errors"`
	Warnings    int           `json:"warnings"`
	Diagnostics []jsonProblem `json:"diagnostics"`
}

type jsonProblem struct {
	Severity string  `json:"severity"`
	Rule     rule.ID `json:"rule"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Column   int     `json:"column,omitempty"`
	Path     string  `json:"path,omitempty"`
	Message  string  `json:"message"`
}

// JSON writes one object: whether the fleet is valid, the number of VMs, errors and
// warnings, and the list of problems, which may be empty but is never null.
func JSON(w io.Writer, v Validation) error {
	out := jsonReport{Valid: !v.HasErrors(), VMs: v.VMs, Diagnostics: []jsonProblem{}}
	out.Errors, out.Warnings, _ = problems.Tally(v.Diagnostics)
	for _, d := range v.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, jsonProblem{
			Severity: level(d.Severity), Rule: d.Rule,
			File: d.File, Line: d.Line, Column: d.Col,
			Path: d.Path, Message: d.Message,
		})
	}
	return Indented(w, out)
}

// Indented writes a value as JSON that is also easy to read for users: indented by
// two spaces, with `<`, `>` and `&` not escaped, and with escapes for what is not printable.
func Indented(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(b.String()))
	return err
}

// escaped returns JSON in which the characters of strings that are not printable are escaped. encoding/json escapes
// those of ASCII itself.
func escaped(text string) string {
	hidden := func(r rune) bool { return r > unicode.MaxASCII && !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
