package report

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text writes one line per problem, "file:line:col: path: message", and a summary
// line if there is more than one problem. It writes nothing for a fleet without
// problems. See [Visible] for what is not printable. Of problems that repeat it shows the
// first ones, unless all are asked for.
func Text(w io.Writer, v Validation) error {
	var b strings.Builder
	repeated := newRepetitions()
	for i := range v.Diagnostics {
		if d := &v.Diagnostics[i]; v.All || repeated.show(d) {
			b.WriteString(Visible(d.String()))
			b.WriteByte('\n')
		}
	}
	b.WriteString(repeated.String())
	if summary := v.Summary(); summary != "" {
		b.WriteString(summary)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Visible returns text in which characters that are not printable, such as line breaks and the escape sequences of
// terminals, are replaced as in a string of Go: by \n, \x1b or \u202e. Names of files and messages of templates can
// contain any.
func Visible(text string) string {
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
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
