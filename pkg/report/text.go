package report

import (
	"io"
	"strings"
)

// Text writes one line per problem, "file:line:col: path: message", and a summary
// line if there is more than one problem. It writes nothing for a fleet without
// problems. Line breaks within a message are written as \n and \r.
func Text(w io.Writer, v Validation) error {
	oneLine := strings.NewReplacer("\n", `\n`, "\r", `\r`)
	var b strings.Builder
	for _, d := range v.Diagnostics {
		b.WriteString(oneLine.Replace(d.String()))
		b.WriteByte('\n')
	}
	if summary := v.Summary(); summary != "" {
		b.WriteString(summary)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
