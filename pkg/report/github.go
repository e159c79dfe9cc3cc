package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations on the
// lines of a pull request: `::error file=…,line=…,col=…,title=…::message`. For the
// characters to escape, see the GitHub toolkit, packages/core/src/command.ts.
func GitHub(w io.Writer, v Validation) error {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, d := range v.Diagnostics {
		fmt.Fprintf(&b, "::%s %s::%s\n", level(d.Severity), properties(d, property), message.Replace(text(d)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func properties(d source.Diagnostic, escape *strings.Replacer) string {
	var out []string
	if d.File != "" {
		out = append(out, "file="+escape.Replace(d.File))
	}
	if d.Line > 0 {
		out = append(out, fmt.Sprintf("line=%d", d.Line))
	}
	if d.Col > 0 {
		out = append(out, fmt.Sprintf("col=%d", d.Col))
	}
	return strings.Join(append(out, "title=vmrender "+escape.Replace(string(d.Rule))), ",")
}
