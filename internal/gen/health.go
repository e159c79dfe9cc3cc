package main

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed health.md.tmpl
var healthTemplate string

// healthState is an entry of a states.yaml: an object, and the meaning of its state.
type healthState struct {
	State   string         `json:"state"`
	Health  string         `json:"health"`
	Why     string         `json:"why"`
	Message string         `json:"message"`
	Object  map[string]any `json:"object"`

	// For tests: what a status calls the state, and what both have in common.
	Status  string              `json:"status"`
	Reason  string              `json:"reason"`
	Reasons map[string][]string `json:"reasons"`
	Unlike  string              `json:"unlike"`
}

// healthRule is a health check with the kinds that share it.
type healthRule struct {
	check  string
	Kinds  []string
	States []healthState
}

// healthReference returns docs/reference/health.md.
func healthReference(kinds []customization) ([]byte, error) {
	rules, err := healthRules(kinds)
	if err != nil {
		return nil, err
	}
	var sources, ignore, optional [][]string
	for _, c := range kinds {
		sources = append(sources, []string{c.groupCell(), code(c.Kind), c.Source})
		for _, f := range c.Ignore {
			ignore = append(ignore, []string{code(c.Kind), code(f.Field), f.Why})
		}
		for _, f := range c.Optional {
			optional = append(optional, []string{code(c.Kind), code(f.Field), f.When})
		}
	}
	return execute("health.md", healthTemplate, map[string]any{
		"Rules":    rules,
		"Sources":  sources,
		"Ignore":   ignore,
		"Optional": optional,
	})
}

// healthRules returns the health checks, each once, in the order of the table.
func healthRules(kinds []customization) ([]healthRule, error) {
	var rules []healthRule
	for _, c := range kinds {
		i := slices.IndexFunc(rules, func(r healthRule) bool { return r.check == c.Health })
		if i < 0 {
			i = len(rules)
			rules = append(rules, healthRule{check: c.Health})
			if err := readYAML(filepath.Join(customizationsDir, c.Health, "states.yaml"), &rules[i].States); err != nil {
				return nil, err
			}
		}
		rules[i].Kinds = append(rules[i].Kinds, c.Kind)
	}
	return rules, nil
}

// Title returns the kinds of a rule.
func (r healthRule) Title() string { return strings.Join(r.Kinds, ", ") }

// Rows returns the states of a rule, for its table.
func (r healthRule) Rows() [][]string {
	return table(r.States, func(s healthState) []string { return []string{s.State, s.Health, s.Why} })
}

func (c *customization) groupCell() string {
	if c.Group == "" {
		return "core"
	}
	return code(c.Group)
}
