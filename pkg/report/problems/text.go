package problems

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/source"
)

// Colored is a writer that may show colors, as a terminal does.
type Colored interface {
	io.Writer
	// Color reports whether it does.
	Color() bool
}

// Colors of the places of errors and warnings (ECMA-48, 8.3.117, SELECT GRAPHIC RENDITION). Warnings also say so.
const (
	errorColor   = "\x1b[31m"
	warningColor = "\x1b[33m"
	noColor      = "\x1b[0m"
)

// Text writes one line per problem, "file:line:col: path: message", and a summary
// line if there is more than one problem. It writes nothing if there is no problem.
// See [Visible] for what is not printable. Of problems that repeat it shows the
// first ones, unless all are asked for. On a writer that is [Colored], places have the color of the severity.
func Text(w io.Writer, list []source.Diagnostic, all bool) error {
	var b strings.Builder
	colored, ok := w.(Colored)
	color := ok && colored.Color()
	repeated := newRepetitions()
	for i := range list {
		if d := &list[i]; all || repeated.show(d) {
			b.WriteString(line(d, color))
			b.WriteByte('\n')
		}
	}
	b.WriteString(repeated.String())
	if summary := Summary(list); summary != "" {
		b.WriteString(summary)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line returns the line of a problem.
func line(d *source.Diagnostic, color bool) string {
	text := Visible(d.String())
	place := Visible(d.Pos.String())
	if !color || place == "" {
		return text
	}
	begin := errorColor
	if d.Severity == source.Warning {
		begin = warningColor
	}
	return begin + place + noColor + strings.TrimPrefix(text, place)
}

// Summary returns a line such as "3 errors and 1 warning in 2 files", or "" for
// fewer than two problems, which need no summary.
func Summary(list []source.Diagnostic) string {
	if len(list) < 2 {
		return ""
	}
	errors, warnings, files := Tally(list)
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

// Tally returns the numbers of errors, of warnings, and of the files with either.
func Tally(list []source.Diagnostic) (errors, warnings, files int) {
	seen := map[string]bool{"": true}
	for _, d := range list {
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

// Visible returns text in which characters that are not printable, such as line breaks and the escape sequences of
// terminals, are replaced as in a string of Go: by \n, \x1b or \u202e. Names of files and messages of templates can
// contain any.
func Visible(text string) string { return visible(text, "") }

// VisibleLines is [Visible] for a text of several lines: line breaks and tabs stay.
func VisibleLines(text string) string { return visible(text, "\n\t") }

// visible replaces what is not printable, except the characters to keep.
func visible(text, keep string) string {
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case strings.ContainsRune(keep, r):
			b = append(b, text[:size]...)
		case r == utf8.RuneError && size == 1:
			quoted := strconv.Quote(text[:1])
			b = append(b, quoted[1:len(quoted)-1]...)
		case strconv.IsPrint(r):
			b = append(b, text[:size]...)
		default:
			quoted := strconv.QuoteRune(r)
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		text = text[size:]
	}
	return string(b)
}
