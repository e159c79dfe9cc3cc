package main

import (
	_ "embed"

	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/values"
)

//go:embed lifecycle.md.tmpl
var lifecycleTemplate string

// lifecycleReference returns docs/reference/lifecycle.md, from the policies of pkg/render.
func lifecycleReference() ([]byte, error) {
	return execute("lifecycle.md", lifecycleTemplate, map[string]any{
		"Policies": policySections(),
		"Parts":    table(render.Parts(), partCells),
	})
}

// policySection is the section of one policy.
type policySection struct {
	Title, Summary string
	Events         []eventSection
}

type eventSection struct {
	On    render.Event
	Facts []render.Fact
}

func policySections() []policySection {
	policies := render.Policies()
	out := make([]policySection, 0, len(policies))
	for _, p := range policies {
		s := policySection{Title: policyTitle(p), Summary: p.Summary}
		for _, on := range render.Events() {
			s.Events = append(s.Events, eventSection{on, factsOn(p, on)})
		}
		out = append(out, s)
	}
	return out
}

func policyTitle(p render.Policy) string {
	if p.Strategy == values.InPlace {
		return "`type: " + p.Kind + "`"
	}
	return "`type: " + p.Kind + "`, `strategy: " + string(p.Strategy) + "`"
}

func factsOn(p render.Policy, on render.Event) []render.Fact {
	var out []render.Fact
	for _, f := range p.Facts {
		if f.On == on {
			out = append(out, f)
		}
	}
	return out
}

func partCells(p render.Part) []string {
	return []string{p.Name, p.Phase, p.Wave, codeOrNothing(p.Options), codeOrNothing(p.Cleanup), p.Why}
}

// codeOrNothing formats a word as code; an empty cell stays empty.
func codeOrNothing(word string) string {
	if word == "" {
		return ""
	}
	return code(word)
}
