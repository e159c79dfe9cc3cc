package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

const outsideFleet = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" +
	"defaults: {namespace: prod, vars: {token: outside-secret}}\n"

// assistantRoot writes a fleet that an assistant can read, and others that it cannot, and returns its directory.
func assistantRoot(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "root")
	for _, dir := range []string{"root/fleet", "root/linked", "root/platform", "root/-o=x", "out/below"} {
		require.NoError(t, os.MkdirAll(filepath.Join(top, dir), 0o700))
	}
	vms := "vms: {a: {os: fedora, cpu: 1, memory: 2Gi, labels: {token: '{{ .vars.token }}'}}}\n"
	files := []txtar.File{
		{Name: "root/fleet/fleet.yaml", Data: []byte(outsideFleet)},
		{Name: "root/fleet/vms.yaml", Data: []byte(vms)},
		{Name: "out/fleet.yaml", Data: []byte(outsideFleet)},
		{Name: "out/below/vms.yaml", Data: []byte(vms)},
		{Name: "root/-o=x/fleet.yaml", Data: []byte(outsideFleet)},
		{Name: "root/-o=x/vms.yaml", Data: []byte(vms)},
		{Name: "root/platform/platform.yaml", Data: []byte("base: ../../out/fleet.yaml\n")},
		{Name: "root/cluster", Data: []byte("not an export")},
	}
	write(t, &txtar.Archive{Files: files}, "", top)
	for link, to := range map[string]string{
		"root/link": "../out", "root/linked/env": "../../out/below", "root/file.yaml": "../out/fleet.yaml",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(top, link)))
	}
	return root
}

// TestAssistantIsConfined tries to leave the root, to write, and to pass flags as values. All of it is refused, and no
// file appears.
func TestAssistantIsConfined(t *testing.T) {
	root := assistantRoot(t)
	client := serve(t, "mcp", "--root", root)
	before := filesBelow(t, filepath.Dir(root))
	client.play([]toolCall{
		{Tool: "validate", With: map[string]any{"path": "fleet"}, Has: []string{`"valid": true`}},
		{Tool: "validate", With: map[string]any{"path": filepath.Join(root, "fleet")}, Has: []string{`"valid": true`}},
		// a name that looks like a flag is a path
		{Tool: "validate", With: map[string]any{"path": "-o=x"}, Has: []string{`"valid": true`}},
		{
			Tool: "validate", With: map[string]any{"path": "platform"},
			Has: []string{"leaves the repository", `"valid": false`},
		},
		{Tool: "validate", With: map[string]any{"path": "-"}, Has: []string{"./-: no such file"}},
		{Tool: "explain", With: map[string]any{"vm": "a", "path": "-o=x"}, Has: []string{"-o=x"}},
	})
	for _, c := range []toolCall{
		{Tool: "validate", With: map[string]any{"path": "../out"}, Has: []string{"outside of the root"}},
		{Tool: "validate", With: map[string]any{"path": filepath.Join(root, "..", "out")}, Has: []string{"outside"}},
		{Tool: "validate", With: map[string]any{"path": "link"}, Has: []string{"outside of the root"}},
		{Tool: "validate", With: map[string]any{"path": "link/../fleet/../../out"}, Has: []string{"outside of the root"}},
		{Tool: "validate", With: map[string]any{"path": "linked"}, Has: []string{"symbolic link leads out of the root"}},
		{Tool: "validate", With: map[string]any{}, Has: []string{"symbolic link leads out of the root"}},
		{Tool: "validate", With: map[string]any{"path": "fleet", "overlays": []any{"file.yaml"}}, Has: []string{"outside"}},
		{Tool: "explain", With: map[string]any{"vm": "a", "path": "link/below"}, Has: []string{"outside of the root"}},
		{Tool: "catalog", With: map[string]any{"kind": "os", "path": "link"}, Has: []string{"outside of the root"}},
		{Tool: "plan", With: map[string]any{"path": "fleet", "old": "../out"}, Has: []string{"outside of the root"}},
		{Tool: "status", With: map[string]any{"path": "fleet", "export": "/etc/passwd"}, Has: []string{"outside"}},
		// no field writes, and no other field exists
		{Tool: "plan", With: map[string]any{"old": "fleet", "output": "json"}, Has: []string{"output"}},
		{Tool: "schema", With: map[string]any{"kind": "vms", "write": "."}, Has: []string{"write"}},
		{Tool: "validate", With: map[string]any{"path": "fleet", "root": "/"}, Has: []string{"root"}},
		{Tool: "explain", With: map[string]any{"vm": "a", "set": []any{"a=b"}}, Has: []string{"set"}},
		// a value that looks like a flag stays a value
		{Tool: "explain", With: map[string]any{"vm": "--set=a=b", "path": "fleet"}, Has: []string{`"--set=a=b"`}},
		{Tool: "schema", With: map[string]any{"kind": "--write=."}, Has: []string{"--write=."}},
		{Tool: "schema", With: map[string]any{"kind": "vms", "key": "--write=."}, Has: []string{`"--write="`}},
	} {
		c.Refused = true
		client.play([]toolCall{c})
	}
	require.Equal(t, before, filesBelow(t, filepath.Dir(root)))
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		names = append(names, path+info.ModTime().String())
		return err
	}))
	return names
}

// TestAssistantReachesNoCluster checks that no call leads to a request to a cluster that the environment names, or that
// the user has not chosen at the start, and that one that the user has chosen is read.
func TestAssistantReachesNoCluster(t *testing.T) {
	var requests atomic.Int64
	var wrote atomic.Value
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Method != http.MethodGet {
			wrote.Store(r.Method + " " + r.URL.Path)
		}
		http.Error(w, "{}", http.StatusForbidden)
	}))
	defer cluster.Close()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(strings.ReplaceAll(`apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u}]
clusters: [{name: c, cluster: {server: URL}}]
`, "URL", cluster.URL)), 0o600))
	t.Setenv("KUBECONFIG", kubeconfig)
	root := assistantRoot(t)

	live := toolCall{Tool: "status", With: map[string]any{"path": "fleet", "live": true}, Refused: true}
	client := serve(t, "mcp", "--root", root)
	for _, c := range []toolCall{
		{Tool: live.Tool, With: live.With, Has: []string{"started without a cluster"}},
		{Tool: "status", With: map[string]any{"path": "fleet"}, Has: []string{"expected one of: export, live"}},
		{Tool: "status", With: map[string]any{"path": "fleet", "export": "cluster"}, Has: []string{"cluster"}},
		{Tool: "plan", With: map[string]any{"path": "fleet", "old": "fleet", "export": "cluster"}, Has: []string{"cluster"}},
		{Tool: "plan", With: map[string]any{"path": "fleet", "live": true}, Has: []string{"started without a cluster"}},
		{Tool: "status", With: map[string]any{"path": "fleet", "kubeconfig": kubeconfig}, Has: []string{"kubeconfig"}},
	} {
		c.Refused = true
		client.play([]toolCall{c})
	}
	require.Zero(t, requests.Load())

	serve(t, "mcp", "--root", root, "--live", "cluster", "--kubeconfig", kubeconfig).call(live.Tool, live.With)
	require.Positive(t, requests.Load())
	require.Nil(t, wrote.Load())
}

// TestAssistantSeesNoSecrets checks that values are masked as on the command line.
func TestAssistantSeesNoSecrets(t *testing.T) {
	client := serve(t, "mcp", "--root", filepath.Join(assistantRoot(t), "fleet"))
	texts, refused := client.call("explain", map[string]any{"vm": "a", "key": "vars"})
	require.False(t, refused)
	require.Contains(t, texts[0], "***")
	require.NotContains(t, texts[0], "outside-secret")
}

// TestAssistantToolsOnlyRead checks what a client learns about the tools: their names, that they only read, and that
// they accept no other fields.
func TestAssistantToolsOnlyRead(t *testing.T) {
	list, err := serve(t, "mcp").session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		schema, is := tool.InputSchema.(map[string]any)
		require.True(t, is)
		require.Equal(t, false, schema["additionalProperties"], tool.Name)
	}
	require.ElementsMatch(t, []string{"catalog", "explain", "validate", "plan", "status", "schema"}, names)
}
