package recipes

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// packages maps programs to the packages of Debian 13 that contain them.
var packages = map[string]string{
	"base64": "coreutils", "cat": "coreutils", "head": "coreutils", "mkdir": "coreutils",
	"bash": "bash", "curl": "curl", "git": "git", "gzip": "gzip", "jq": "jq",
}

// builtins are the commands of bash that the scripts use.
var builtins = []string{"break", "echo", "exit", "export", "printf", "set", "unset"}

// calls returns the commands that a script runs, without those that it defines itself.
func calls(t *testing.T, script string) []string {
	t.Helper()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	require.NoError(t, err, script)
	found, defined := map[string]bool{}, map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			defined[n.Name.Value] = true
		case *syntax.DeclClause:
			found[n.Variant.Value] = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				require.NotEmpty(t, n.Args[0].Lit(), "the name of a program is no variable")
				found[n.Args[0].Lit()] = true
			}
		}
		return true
	})
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool { return defined[name] })
}

// scripts returns the scripts of a recipe, by the path of their keys.
func scripts(v any, path string) map[string]string {
	out := map[string]string{}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			text, ok := value.(string)
			if ok && (key == "run" || key == "script") {
				out[path+"."+key] = text
			}
			maps.Copy(out, scripts(value, path+"."+key))
		}
	case []any:
		for _, item := range v {
			text, ok := item.(string)
			if ok && strings.HasSuffix(path, "script") {
				out[path] += text + "\n"
			}
			if m, ok := item.(map[string]any); ok {
				maps.Copy(out, scripts(m, fmt.Sprintf("%s.%v", path, m["name"])))
			}
		}
	}
	return out
}

// installed returns the packages and files that the image of the recipes gets.
func installed(t *testing.T) []string {
	t.Helper()
	dockerfile := read("../../Dockerfile.ci")
	_, stage, found := strings.Cut(dockerfile, "\nFROM debian:")
	require.True(t, found)
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(stage, "\\\n", "")) {
		if run, ok := strings.CutPrefix(line, "RUN "); ok {
			out = append(out, words(t, run, "apt-get", "install")...)
		}
		if copied := strings.Fields(line); len(copied) > 2 && copied[0] == "COPY" {
			out = append(out, filepath.Base(copied[2]))
		}
	}
	return out
}

// words returns the arguments of a command with a subcommand.
func words(t *testing.T, script, program, subcommand string) []string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	require.NoError(t, err)
	var out []string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if ok && len(call.Args) > 1 && call.Args[0].Lit() == program && call.Args[1].Lit() == subcommand {
			for _, arg := range call.Args[2:] {
				out = append(out, arg.Lit())
			}
		}
		return true
	})
	return out
}

// The image of the recipes contains every program that their scripts call.
func TestImageHasThePrograms(t *testing.T) {
	has := installed(t)
	require.Contains(t, has, "vmrender")
	require.Contains(t, has, "bash", "the shell of the scripts")
	require.Contains(t, has, "ca-certificates", "curl and git verify certificates")
	used := map[string]bool{}
	for _, name := range []string{"gitlab.yaml", "gitea.yaml", "tekton.yaml"} {
		all := scripts(load(t, name), name)
		require.GreaterOrEqual(t, len(all), 2, name)
		for path, script := range all {
			for _, program := range calls(t, script) {
				if slices.Contains(builtins, program) {
					continue
				}
				wanted := program
				if program != "vmrender" {
					wanted = packages[program]
				}
				require.Contains(t, has, wanted, "%s calls %s", path, program)
				used[wanted] = true
			}
		}
	}
	for _, installs := range has {
		switch installs {
		case "--yes", "--no-install-recommends", "bash", "ca-certificates", "licenses":
		default:
			require.True(t, used[installs], "no script uses %s", installs)
		}
	}
}

func TestCallsAreFound(t *testing.T) {
	require.Equal(t, []string{"cat", "export", "head", "jq", "set", "tee"},
		calls(t, "set -e\nf() { cat; }\nx=$(head a | jq .) f <<< \"$(tee b)\"\nexport A=1\n[[ -n $x ]]\n"))
	require.Equal(t, map[string]string{"x.a.script": "one\ntwo\n", "x.b.c.run": "three"}, scripts(map[string]any{
		"a": map[string]any{"script": []any{"one", "two"}}, "b": []any{map[string]any{"name": "c", "run": "three"}},
	}, "x"))
}

// The jobs of a recipe run in the image of the recipes, so that no pipeline compiles vmrender.
func TestRecipesUseTheImage(t *testing.T) {
	const image = "registry.example.com/vmrender-ci:1"
	gitLab := load(t, "gitlab.yaml")
	require.Equal(t, image, at(t, gitLab, "variables", "IMAGE"))
	for _, job := range []string{"vmrender-plan", "vmrender-comment"} {
		require.Equal(t, "$IMAGE", at(t, gitLab, job, "image"))
	}
	for _, job := range []string{"plan", "comment"} {
		require.Equal(t, image, at(t, load(t, "gitea.yaml"), "jobs", job, "container", "image"))
	}
	require.Equal(t, image, at(t, load(t, "tekton.yaml"), "spec", "params", "image", "default"))
	require.Regexp(t, `(?m)^docker build --file Dockerfile.ci --tag `+image+` --push \.$`, read("../../docs/how-to/ci.md"))
}
