package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
)

//go:embed impact.md.tmpl
var impactTemplate string

// impactSection is the table of one topic.
type impactSection struct {
	Title string
	Rows  [][]string
}

// impactReference returns docs/reference/impact.md, from the rules of pkg/impact.
func impactReference() ([]byte, error) {
	levels := impact.Levels()
	slices.Reverse(levels)
	topics := impact.Topics()
	sections := make([]impactSection, 0, len(topics))
	for _, t := range topics {
		sections = append(sections, impactSection{t.Title, table(t.Rules, ruleCells)})
	}
	return execute("impact.md", impactTemplate, map[string]any{
		"Levels":   table(levels, func(l impact.Level) []string { return []string{code(l.String()), l.Meaning()} }),
		"Sections": sections,
		"Codes":    codesWithoutRule(),
		"Gate":     table(gate.Fields(), gateCells),
	})
}

// gateCells returns the row of a field that the gate compares.
func gateCells(f gate.Field) []string {
	return []string{code(f.Path), code(f.Level.String()), strings.Join(f.Open, "; ")}
}

// codesWithoutRule returns the codes of causes that are worked out after the rules.
func codesWithoutRule() string {
	codes := plan.Codes()
	for _, r := range impact.Rules() {
		codes = slices.DeleteFunc(codes, func(c impact.Code) bool { return c == r.Code })
	}
	out := make([]string, 0, len(codes))
	for _, c := range codes {
		out = append(out, code(string(c)))
	}
	return strings.Join(out, ", ")
}

// ruleCells returns the row of a rule.
func ruleCells(r impact.Rule) []string {
	kind, _, _ := strings.Cut(r.Kind, ".")
	said := []string{r.Reason}
	for _, more := range []string{r.When, r.Advice} {
		if more != "" {
			said = append(said, more)
		}
	}
	if r.Warning {
		said = append(said, "**marked as dangerous later**")
	}
	return []string{
		strings.TrimSpace(kind + " " + code(r.Path)), ruleConditions(r), code(r.Level.String()), code(string(r.Code)),
		strings.Join(said, "; "), r.Source,
	}
}

// ruleConditions returns when a rule holds.
func ruleConditions(r impact.Rule) string {
	var out []string
	if r.If.Text != "" {
		out = append(out, r.If.Text)
	}
	out = append(out, ruleVersions(&r)...)
	if r.Assumes != "" {
		out = append(out, "approximate without knowing "+string(r.Assumes))
	}
	return strings.Join(out, "; ")
}

// ruleVersions returns the versions that a rule holds for, none for all.
func ruleVersions(r *impact.Rule) []string {
	var out []string
	if r.From != "" {
		out = append(out, "from KubeVirt "+r.From)
	}
	if r.Before != "" {
		out = append(out, "before KubeVirt "+r.Before)
	}
	return out
}
