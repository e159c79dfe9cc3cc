package main

import (
	"cmp"
	_ "embed"
	"strings"

	"github.com/vmrender/vmrender/pkg/render"
)

//go:embed lifecycle.md.tmpl
var lifecycleTemplate string

// lifecycleReference returns docs/reference/lifecycle.md, from the policies of pkg/render.
func lifecycleReference() ([]byte, error) {
	policies := render.Policies()
	return execute("lifecycle.md", lifecycleTemplate, map[string]any{
		"Events":   render.Events(),
		"Short":    table(policies, shortCells),
		"Policies": policySections(policies),
		"Losses":   []lossSection{lossOn(policies, render.OnRemoval), lossOn(policies, render.OnDeletion)},
		"Parts":    table(render.Parts(), partCells),
	})
}

// shortCells returns the row of a policy in the table of all events.
func shortCells(p render.Policy) []string {
	cells := make([]string, 0, 1+len(p.InShort))
	cells = append(cells, policyTitle(p))
	for _, on := range render.Events() {
		cells = append(cells, p.InShort[on])
	}
	return cells
}

// policySection is the section of one policy: what happens on a change.
type policySection struct {
	Title, Summary string
	Facts          []render.Fact
}

func policySections(policies []render.Policy) []policySection {
	sections := make([]policySection, len(policies))
	for i, p := range policies {
		sections[i] = policySection{policyTitle(p), p.Summary, factsOn(p, render.OnChange)}
	}
	return sections
}

// lossSection is the section of an event that can delete VMs, for all policies: what they have in common is there once.
type lossSection struct {
	On    render.Event
	Facts []lossFact
}

// lossFact is a fact with the policies that have it; Only is empty if all have.
type lossFact struct {
	render.Fact
	Only     string
	policies []string
}

func lossOn(policies []render.Policy, on render.Event) lossSection {
	s := lossSection{On: on}
	for _, p := range policies {
		for _, f := range factsOn(p, on) {
			f.Given = strings.TrimSuffix(f.Given, ", the default") // the table of all events has defaults
			f.Text = strings.ReplaceAll(f.Text, "pool with its VirtualMachines", "VirtualMachine")
			s.add(f, code(cmp.Or(string(p.Strategy), p.Kind)))
		}
	}
	for i := range s.Facts {
		if f := &s.Facts[i]; len(f.policies) < len(policies) {
			f.Only = strings.Join(f.policies, ", ")
		}
	}
	return s
}

// add adds a fact of a policy, or the policy to the same fact of others.
func (s *lossSection) add(f render.Fact, policy string) {
	for i := range s.Facts {
		if s.Facts[i].Given == f.Given && s.Facts[i].Text == f.Text {
			s.Facts[i].policies = append(s.Facts[i].policies, policy)
			return
		}
	}
	s.Facts = append(s.Facts, lossFact{Fact: f, policies: []string{policy}})
}

// policyTitle returns the keys that choose a policy: those of `lifecycle`.
func policyTitle(p render.Policy) string {
	if p.Strategy.Traits().Pet {
		return code(p.Kind)
	}
	return code(p.Kind) + ", " + code(string(p.Strategy))
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
