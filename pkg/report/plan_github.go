package report

import (
	"fmt"
	"io"
	"strings"
)

// PlanGitHub writes a workflow command for each finding, as [GitHub] does, the worst
// first: GitHub shows the first ten of a step by severity.
func PlanGitHub(w io.Writer, p Plan) error {
	var b strings.Builder
	for _, f := range p.findings() {
		severity := f.severity()
		if severity == "note" {
			severity = "notice"
		}
		fmt.Fprintf(&b, "::%s %s::%s\n",
			severity, gitHubProperties(f.pos, string(f.code)), gitHubText(f.message()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
