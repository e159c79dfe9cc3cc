package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

// The characters to escape in workflow commands: see the GitHub toolkit,
// packages/core/src/command.ts.
var (
	gitHubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	gitHubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations on the
// lines of a pull request: `::error file=…,line=…,col=…,title=…::message`.
func GitHub(w io.Writer, v Validation) error {
	var b strings.Builder
	for _, d := range v.Diagnostics {
		fmt.Fprintf(&b, "::%s %s::%s\n",
			level(d.Severity), gitHubProperties(d.Pos, string(d.Rule)), gitHubText(text(d)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// gitHubText returns a message as part of a workflow command. See [problems.Visible] for what is not printable.
func gitHubText(message string) string { return gitHubMessage.Replace(problems.VisibleLines(message)) }

func gitHubProperties(at source.Pos, rule string) string {
	var out []string
	if at.File != "" {
		out = append(out, "file="+gitHubProperty.Replace(problems.Visible(at.File)))
	}
	if at.Line > 0 {
		out = append(out, fmt.Sprintf("line=%d", at.Line))
	}
	if at.Col > 0 {
		out = append(out, fmt.Sprintf("col=%d", at.Col))
	}
	return strings.Join(append(out, "title=vmrender "+gitHubProperty.Replace(rule)), ",")
}
