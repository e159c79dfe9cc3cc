package main

import (
	_ "embed"
	"strings"

	"github.com/vmrender/vmrender/pkg/admission"
)

//go:embed admission.md.tmpl
var admissionTemplate string

// admissionReference returns docs/reference/admission.md, from the rules of pkg/admission.
func admissionReference() ([]byte, error) {
	var written, starts []admission.Rule
	for _, r := range admission.Rules() {
		if r.Starts {
			starts = append(starts, r)
		} else {
			written = append(written, r)
		}
	}
	return execute("admission.md", admissionTemplate, map[string]any{
		"Written": table(written, admissionCells), "Starts": table(starts, admissionCells),
	})
}

// admissionCells returns the row of a rule.
func admissionCells(r admission.Rule) []string {
	problem := strings.Replace(r.Problem, " %q", "", 1)
	var on []string
	if r.From != "" {
		on = append(on, "KubeVirt "+r.From+" and later")
	}
	if r.Before != "" {
		on = append(on, "KubeVirt before "+r.Before)
	}
	if r.Gate != "" {
		on = append(on, "feature gate "+code(r.Gate)+" off")
	}
	if r.Setting != "" {
		on = append(on, r.Setting)
	}
	return []string{code(r.Field), problem, strings.Join(on, "; "), code(r.ID), r.Source}
}
