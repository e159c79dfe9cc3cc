package main

import (
	_ "embed"
	"os"
	"strings"
)

//go:embed ci.md.tmpl
var ciTemplate string

// ciReference returns docs/how-to/ci.md, with the recipes in examples/ci, which test/recipes runs.
func ciReference() ([]byte, error) {
	recipes := map[string]string{}
	for _, name := range []string{"github", "gitlab", "tekton", "render"} {
		text, err := os.ReadFile("examples/ci/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		recipes[name] = strings.TrimSpace(string(text))
	}
	return execute("ci.md", ciTemplate, recipes)
}
