package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The terminal sessions and files in docs/how-to/adopt.md are true. Its commands are run in
// testdata/adopt, from top to bottom. With -update, the page is corrected. TestAdoptPage of
// test/e2e also runs those that need a cluster.
func TestAdoptPage(t *testing.T) {
	path, err := filepath.Abs("../../docs/how-to/adopt.md")
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/adopt")))
	t.Chdir(dir)
	asAuthor(t)
	tool(t, "git init --quiet --initial-branch=main")
	tool(t, "git remote add origin https://git.example.com/shop/fleet.git")
	remote := filepath.ToSlash(t.TempDir())
	tool(t, "git init --quiet --bare "+remote)
	tool(t, "git config url."+remote+".pushInsteadOf https://git.example.com/shop/fleet.git")
	section := ""
	golden.Equal(t, path, docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		if b.Section != section { // each section starts with the files that were committed
			section = b.Section
			tool(t, "! git rev-parse --quiet --verify HEAD || git checkout --quiet .")
		}
		switch b.Lang {
		case "console":
			return terminal(t, b)
		case "yaml":
			return docblocks.File(t, ".", b)
		}
		return b.Text
	}))
}

// asAuthor sets who commits, and when, so that commits have the same names in each run.
func asAuthor(t *testing.T) {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_DATE", "2026-11-20T08:00:00Z")
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
}

// terminal runs the commands of a block, and returns them with their output. If a command writes
// to a file, the file is written. Of commands that need a cluster, it keeps the output.
func terminal(t *testing.T, b docblocks.Block) string {
	t.Helper()
	commands := b.Commands()
	for i := range commands {
		line := strings.TrimSuffix(commands[i].Line(), "\n")
		program, _, _ := strings.Cut(line, " ")
		switch program {
		case "vmrender":
			if output := runShown(t, line); !strings.Contains(line, " | kubectl ") || output != "" {
				commands[i].Output = shortened(commands[i].Output, output)
			}
		case "git", "sed":
			tool(t, line)
			commands[i].Output = ""
		case "kubectl":
			if _, file, isWritten := strings.Cut(line, " > "); isWritten && file != "export.yaml" {
				writeSynced(t, file)
			}
		default:
			require.Fail(t, "a command that the test does not know", line)
		}
	}
	return docblocks.Console(commands)
}

// shortened returns an output as the page shows it, if the page leaves out lines and the others agree.
func shortened(shown, output string) string {
	if strings.Contains(shown, docblocks.Ellipsis) && docblocks.Agrees(shown, output) {
		return shown
	}
	return output
}

// runShown runs vmrender and returns its output as a terminal shows it.
func runShown(t *testing.T, command string) string {
	t.Helper()
	command, _, isPiped := strings.Cut(command, " | ")
	command, file, isWritten := strings.Cut(command, " > ")
	status, stdout, stderr := run(strings.Fields(command)[1:]...)
	require.Equal(t, statusOK, status, "%s: %s", command, stderr)
	switch {
	case isPiped:
		return stderr
	case isWritten:
		require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
		return stderr
	}
	return stderr + stdout
}

// writeSynced writes what kubectl prints of the VMs in export.yaml after the first sync of shop: with everything that
// is rendered, and what Argo CD has applied.
func writeSynced(t *testing.T, file string) {
	t.Helper()
	status, stdout, stderr := run("template", "shop")
	require.Equal(t, statusOK, status, stderr)
	rendered, err := manifest.Read(strings.NewReader(stdout))
	require.NoError(t, err)
	wanted := map[manifest.ID]manifest.Tree{}
	for _, o := range rendered {
		wanted[o.ID] = o.Tree()
	}
	live, err := manifest.ReadFiles("export.yaml")
	require.NoError(t, err)
	items := make([]manifest.Tree, len(live))
	for i, o := range live {
		items[i] = o.Tree()
		if want := wanted[o.ID]; want != nil {
			items[i] = synced(items[i], want)
			delete(wanted, o.ID)
		}
	}
	require.Empty(t, wanted, "objects that are not in the cluster")
	text, err := json.Marshal(manifest.Tree{"apiVersion": "v1", "kind": "List", "items": items})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// synced returns a VM to which Argo CD has applied what is rendered.
func synced(live, want manifest.Tree) manifest.Tree {
	out := applied(live, want)
	name := fmt.Sprint(manifest.Map(out, "metadata")["name"])
	annotations := manifest.Map(out, "metadata", "annotations")
	annotations["argocd.argoproj.io/tracking-id"] = "shop:kubevirt.io/VirtualMachine:shop/" + name
	owned := maps.Clone(want)
	maps.DeleteFunc(owned, func(key string, _ any) bool { return key != "metadata" && key != "spec" })
	manifest.Map(out, "metadata")["managedFields"] = []any{manifest.Tree{
		"manager": "argocd-controller", "operation": "Apply", "apiVersion": "kubevirt.io/v1", "time": "2026-11-20T08:00:00Z",
		"fieldsType": "FieldsV1", "fieldsV1": fieldsOf(owned),
	}}
	return out
}

// applied returns a tree with the fields of another one. Lists are atomic, as in the types of KubeVirt.
func applied(live, want manifest.Tree) manifest.Tree {
	out := maps.Clone(live)
	for key, value := range want {
		have, isTree := out[key].(manifest.Tree)
		if fields, ok := value.(manifest.Tree); ok && isTree {
			value = applied(have, fields)
		}
		out[key] = value
	}
	return out
}

// fieldsOf returns the fields of a tree as in metadata.managedFields.
func fieldsOf(v any) manifest.Tree {
	out := manifest.Tree{}
	if fields, isTree := v.(manifest.Tree); isTree {
		for key, value := range fields {
			out["f:"+key] = fieldsOf(value)
		}
	}
	return out
}

// tool runs a program other than vmrender.
func tool(t *testing.T, command string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
	require.NoError(t, err, "%s: %s", command, out)
}
