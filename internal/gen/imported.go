package main

import (
	_ "embed"

	"github.com/vmrender/vmrender/pkg/adopt"
)

//go:embed import.md.tmpl
var importTemplate string

// importReference returns docs/reference/import.md, from the keys that an import does not write.
func importReference() ([]byte, error) {
	type unsaid = struct{ Key, Why string }
	rows := table(adopt.Unsaid, func(u unsaid) []string { return []string{code(u.Key), u.Why} })
	return execute("import.md", importTemplate, map[string]any{"Unsaid": rows})
}
