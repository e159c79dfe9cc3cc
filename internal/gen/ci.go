package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

//go:embed ci
var ciTemplates embed.FS

// recipesDir is the directory of the recipes that users copy.
const recipesDir = "examples/ci/"

// sharedRecipes returns the recipes that are made of the same parts of scripts, by path: a template for each forge.
func sharedRecipes() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range []string{"github", "gitlab", "gitea", "tekton"} {
		text, err := ciExecute(name+".yaml.tmpl", nil)
		if err != nil {
			return nil, err
		}
		out[recipesDir+name+".yaml"] = text
	}
	return out, nil
}

// ciExecute executes a template for a file of a forge. Its delimiters are not those of expressions of GitHub, nor
// operators of shells. The function part returns a part of a script, indented.
func ciExecute(name string, data any) ([]byte, error) {
	all := template.New(name).Delims("[%", "%]")
	_, err := all.Funcs(template.FuncMap{
		"indent": indent,
		"part": func(columns int, part, old string) (string, error) {
			var out strings.Builder
			err := all.ExecuteTemplate(&out, part, old)
			return indent(columns, out.String()), err
		},
	}).ParseFS(ciTemplates, "ci/scripts.tmpl", "ci/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = all.ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// addRecipes adds the recipes, the page that shows them, and the action, whose scripts are those of the recipe for
// GitHub. test/recipes runs them.
func addRecipes(files map[string][]byte) error {
	recipes, err := sharedRecipes()
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for path, text := range recipes {
		files[path] = text
		texts[strings.TrimSuffix(strings.TrimPrefix(path, recipesDir), ".yaml")] = strings.TrimSpace(string(text))
	}
	for _, name := range []string{"action", "pre-commit", "render"} {
		text, err := os.ReadFile(recipesDir + name + ".yaml")
		if err != nil {
			return err
		}
		texts[name] = strings.TrimSpace(string(text))
	}
	page, err := ciTemplates.ReadFile("ci/ci.md.tmpl")
	if err != nil {
		return err
	}
	if files["docs/how-to/ci.md"], err = execute("ci.md", string(page), texts); err != nil {
		return err
	}
	files["action.yml"], err = action(recipes[recipesDir+"github.yaml"])
	return err
}

// action returns action.yml.
func action(github []byte) ([]byte, error) {
	var recipe struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(github, &recipe); err != nil {
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
	return ciExecute("action.yml.tmpl", scripts)
}
