package pages

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mermaid is the version of the library that draws the diagrams here.
const mermaid = "mermaid@11.17.2"

var diagram = regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```$")

// Mermaid draws every diagram in the documents, and reports a broken one.
func TestDiagrams(t *testing.T) {
	library := mermaidLibrary(t)
	empty := []byte("<!doctype html><title>Diagrams</title>")
	require.NoError(t, os.WriteFile(filepath.Join(directory, "diagrams.html"), empty, 0o600))
	b := open(t, "diagrams", look{})
	eval[any](b, library+"\n;null")
	diagrams := diagramsOf(t, filepath.Join("..", ".."))
	require.NotEmpty(t, diagrams)
	diagrams["a broken one"] = "flowchart LR\n  a --> \n"
	texts, err := json.Marshal(diagrams)
	require.NoError(t, err)
	eval[any](b, `(async (texts) => {
		const errors = {};
		let n = 0;
		for (const [place, text] of Object.entries(texts)) {
			try { await mermaid.render('d' + n++, text); } catch (e) { errors[place] = e.message; }
		}
		window.errors = errors;
	})(`+string(texts)+`), null`)
	b.wait("window.errors !== undefined")
	broken := eval[map[string]string](b, "errors")
	require.Contains(t, broken, "a broken one")
	delete(broken, "a broken one")
	require.Empty(t, broken)
}

// diagramsOf returns the diagrams in the documents under root, by file and number.
func diagramsOf(t *testing.T, root string) map[string]string {
	t.Helper()
	diagrams := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for i, m := range diagram.FindAllStringSubmatch(string(text), -1) {
			diagrams[path+" "+string(rune('1'+i))] = m[1]
		}
		return err
	}))
	return diagrams
}

// mermaidLibrary returns Mermaid as a script.
func mermaidLibrary(t *testing.T) string {
	t.Helper()
	return npm(t, mermaid, "dist/mermaid.min.js")
}

// npm returns a file of a package such as "react@16.14.0". npm fetches the package once into the user's cache. Without
// npm the test is skipped, except in continuous integration, where it fails.
func npm(t *testing.T, pkg, file string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	dir := filepath.Join(cache, "vmrender-pages", pkg)
	script := filepath.Join(dir, "package", filepath.FromSlash(file))
	if text, err := os.ReadFile(script); err == nil {
		return string(text)
	}
	if _, err := exec.LookPath("npm"); err != nil && os.Getenv("CI") != "true" {
		t.Skip(pkg + " needs npm, which is not installed")
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	archive := strings.TrimSpace(shell(t, dir, "npm", "pack", "--silent", pkg))
	shell(t, dir, "tar", "-xzf", archive, "package/"+file)
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	return string(text)
}

// shell runs a program in a directory and returns its output.
func shell(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	command.Dir, command.Stderr = dir, os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	return string(out)
}
