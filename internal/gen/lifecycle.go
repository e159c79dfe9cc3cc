package main

import (
	"cmp"
	_ "embed"
	"strings"

	"github.com/vmrender/vmrender/pkg/lifecycle"
)

//go:embed lifecycle.md.tmpl
var lifecycleTemplate string

// lifecycleReference returns docs/reference/lifecycle.md, from the policies of pkg/lifecycle.
func lifecycleReference() ([]byte, error) {
	policies := lifecycle.Policies()
	return execute("lifecycle.md", lifecycleTemplate, map[string]any{
		"Events":   lifecycle.Events(),
		"Short":    table(policies, shortCells),
		"Policies": policySections(policies),
		"Losses":   []lossSection{lossOn(policies, lifecycle.OnRemoval), lossOn(policies, lifecycle.OnDeletion)},
		"Parts":    table(lifecycle.Parts(), partCells),
	})
}

// shortCells returns the row of a policy in the table of all events.
func shortCells(p lifecycle.Policy) []string {
	cells := make([]string, 0, 1+len(p.InShort))
	cells = append(cells, policyTitle(p))
	for _, on := range lifecycle.Events() {
		cells = append(cells, p.InShort[on])
	}
	return cells
}

// policySection is the section of one policy: what happens on a change.
type policySection struct {
	Title, Summary string
	Facts          []lifecycle.Fact
}

func policySections(policies []lifecycle.Policy) []policySection {
	sections := make([]policySection, len(policies))
	for i, p := range policies {
		sections[i] = policySection{policyTitle(p), p.Summary, factsOn(p, lifecycle.OnChange)}
	}
	return sections
}

// lossSection is the section of an event that can delete VMs, for all policies: what they have in common is there once.
type lossSection struct {
	On    lifecycle.Event
	Facts []lossFact
}

// lossFact is a fact with the policies that have it; Only is empty if all have.
type lossFact struct {
	lifecycle.Fact
	Only     string
	policies []string
}

func lossOn(policies []lifecycle.Policy, on lifecycle.Event) lossSection {
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
func (s *lossSection) add(f lifecycle.Fact, policy string) {
	for i := range s.Facts {
		if s.Facts[i].Given == f.Given && s.Facts[i].Text == f.Text {
			s.Facts[i].policies = append(s.Facts[i].policies, policy)
			return
		}
	}
	s.Facts = append(s.Facts, lossFact{Fact: f, policies: []string{policy}})
}

// policyTitle returns the keys that choose a policy: those of `lifecycle`.
func policyTitle(p lifecycle.Policy) string {
	if p.Strategy.Traits().Pet {
		return code(p.Kind)
	}
	return code(p.Kind) + ", " + code(string(p.Strategy))
}

func factsOn(p lifecycle.Policy, on lifecycle.Event) []lifecycle.Fact {
	var out []lifecycle.Fact
	for _, f := range p.Facts {
		if f.On == on {
			out = append(out, f)
		}
	}
	return out
}

func partCells(p lifecycle.Description) []string {
	return []string{p.Name, p.Phase, p.Wave, codeOrNothing(p.Options), codeOrNothing(p.Cleanup), p.Why}
}

// codeOrNothing formats a word as code; an empty cell stays empty.
func codeOrNothing(word string) string {
	if word == "" {
		return ""
	}
	return code(word)
}
