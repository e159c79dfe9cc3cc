package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

//go:embed ci.md.tmpl
var ciTemplate string

//go:embed action.yml.tmpl
var actionTemplate string

// ciReference returns docs/how-to/ci.md, with the recipes in examples/ci, which test/recipes runs.
func ciReference() ([]byte, error) {
	recipes := map[string]string{}
	for _, name := range []string{"action", "github", "gitlab", "pre-commit", "tekton", "render"} {
		text, err := os.ReadFile("examples/ci/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		recipes[name] = strings.TrimSpace(string(text))
	}
	return execute("ci.md", ciTemplate, recipes)
}

// action returns action.yml, whose scripts are those of the recipe for GitHub.
func action() ([]byte, error) {
	text, err := os.ReadFile("examples/ci/github.yaml")
	if err != nil {
		return nil, err
	}
	var recipe struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &recipe); err != nil {
		return nil, fmt.Errorf("reading the recipe for GitHub: %w", err)
	}
	var scripts struct{ Plan, Comment, Gate string }
	for _, job := range recipe.Jobs {
		for _, step := range job.Steps {
			script := strings.TrimSpace(step.Run)
			switch step.Name {
			case "Plan":
				scripts.Plan = script
			case "Comment and label":
				scripts.Comment = script
			case "Gate":
				scripts.Gate = script
			}
		}
	}
	// Its own expressions are in double braces.
	t, err := template.New("action.yml").Delims("<<", ">>").Funcs(template.FuncMap{"indent": indent}).Parse(actionTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, scripts)
	return out.Bytes(), err
}
