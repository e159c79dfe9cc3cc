package main

import (
	_ "embed"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/upgrade"
)

//go:embed upgrades.md.tmpl
var upgradesTemplate string

// upgradesReference returns docs/how-to/upgrade-platform.md, from the facts of pkg/upgrade.
func upgradesReference() ([]byte, error) {
	return execute("upgrades.md", upgradesTemplate, map[string]any{
		"Products": table(upgrade.Products(), productCells),
		"Facts":    table(upgrade.Facts(), factCells),
	})
}

// productCells returns the row of a product.
func productCells(p upgrade.Product) []string { return []string{code(p.Name), p.Oldest, p.Newest} }

// factCells returns the row of a fact.
func factCells(f upgrade.Fact) []string {
	what := []string{f.Reason}
	for _, more := range []string{f.When, f.Advice} {
		if more != "" {
			what = append(what, more)
		}
	}
	level := "note"
	if f.Level > impact.None {
		level = code(f.Level.String())
	}
	if f.Reported {
		level += " (reported)"
	}
	return []string{f.Product + " " + f.Version, f.If.Text, level, strings.Join(what, "; "), f.Source}
}
