package reposerver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/argocd/cmpserver"
	"github.com/vmrender/vmrender/test/argocd/server"
)

// installation is the directory with the project's plugin.yaml and the settings of repo-server.
var installation = filepath.Join("..", "..", "..", "plugin")

// servers starts a cmp-server with the plugin.yaml in a directory, and a repo-server with more environment.
func servers(t *testing.T, config string, env ...string) (context.Context, *Server) {
	ctx, programs := build(t)
	plugins, err := cmpserver.Start(ctx, programs, config)
	require.NoError(t, err)
	t.Cleanup(func() { plugins.Close() })
	s, err := Start(ctx, programs, plugins, installation, env...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return ctx, s
}

// build builds the programs.
func build(t *testing.T) (context.Context, server.Programs) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	programs, err := server.Build(ctx, filepath.Dir(installation), filepath.Join(cache, "vmrender-argocd"))
	require.NoError(t, err)
	return ctx, programs
}

// commit creates a git repository of files by path and returns its directory.
func commit(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "."},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message=Files"},
	} {
		call := exec.Command("git", args...)
		call.Dir = root
		text, err := call.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	return root
}

// TestGenerate shows what the application controller gets for a part of a
// fleet, and for a fleet that is sent without the rest of the repository. Both
// Applications pass parameters and environment.
func TestGenerate(t *testing.T) {
	ctx, s := servers(t, installation)
	header := func(name string) string {
		return "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: " + name + "}\ntarget: {openshift: true}\nvars: {tier: silver}\n" +
			"defaults: {os: fedora, flavor: small, labels: {tier: '{{ .vars.tier }}'}}\n"
	}
	var many strings.Builder
	var names []string
	for i := range 120 {
		fmt.Fprintf(&many, "  vm%03d: {}\n", i)
		names = append(names, fmt.Sprintf("prod/vm%03d silver", i))
	}
	repository := commit(t, map[string]string{
		"a/fleet.yaml":       header("site-a"),
		"a/web/vms.yaml":     "vms: {web01: {}, web02: {}}\n",
		"a/db/vms.yaml":      "vms: {db01: {}}\n",
		"b/fleet.yaml":       header("site-b"),
		"b/vms.yaml":         "vms: {app01: {}}\n",
		"many/fleet.yaml":    header("many"),
		"many/vms.yaml":      "vms:\n" + many.String(),
		"broken/fleet.yaml":  header("broken"),
		"broken/sub/vm.yaml": "vms: {bad01: {flavor: mediun}}\n",
	})
	for _, test := range []struct {
		name  string
		path  string
		paths string
		with  v1alpha1.ApplicationSourcePlugin
		want  []string // namespace, name and tier of the VMs
	}{
		{name: "a fleet", path: "a", want: []string{"prod/db01 silver", "prod/web01 silver", "prod/web02 silver"}},
		{name: "a part of it", path: "a/web", want: []string{"prod/web01 silver", "prod/web02 silver"}},
		{name: "a part that is sent with its fleet", path: "a/web", paths: ".;/a/fleet.yaml", want: []string{"prod/web01 silver", "prod/web02 silver"}},
		{name: "a fleet of several Lists", path: "many", want: names},
		{name: "a fleet that is sent alone", path: "b", paths: ".", want: []string{"prod/app01 silver"}},
		{
			name: "a parameter", path: "b", want: []string{"prod/app01 gold"},
			with: v1alpha1.ApplicationSourcePlugin{Parameters: v1alpha1.ApplicationSourcePluginParameters{{
				Name: "vars", OptionalMap: &v1alpha1.OptionalMap{Map: map[string]string{"tier": "gold"}},
			}}},
		},
		{
			name: "a variable", path: "b", want: []string{"of-shop/app01 silver"},
			with: v1alpha1.ApplicationSourcePlugin{Env: v1alpha1.Env{{Name: "VMRENDER_NAMESPACE", Value: "of-$ARGOCD_APP_NAME"}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			manifests, err := s.Generate(ctx, Application{
				Name: "shop", Namespace: "prod", Repository: repository, Path: test.path, Paths: test.paths, Plugin: test.with,
			})
			require.NoError(t, err)
			var got []string
			for _, manifest := range manifests {
				var object unstructured.Unstructured
				require.NoError(t, json.Unmarshal([]byte(manifest), &object))
				if object.GetKind() != "VirtualMachine" {
					continue
				}
				id := object.GetNamespace() + "/" + object.GetName()
				require.Equal(t, "shop:kubevirt.io/VirtualMachine:"+id, object.GetAnnotations()["argocd.argoproj.io/tracking-id"])
				tier, _, err := unstructured.NestedString(object.Object, "spec", "template", "metadata", "labels", "tier")
				require.NoError(t, err)
				got = append(got, fmt.Sprint(id, " ", tier))
			}
			require.Equal(t, test.want, got)
		})
	}
	t.Run("a mistake", func(t *testing.T) {
		_, err := s.Generate(ctx, Application{Name: "shop", Namespace: "prod", Repository: repository, Path: "broken"})
		require.ErrorContains(t, err, "`vmrender-cmp generate` failed exit status 1: "+
			`sub/vm.yaml:1:23: vms.bad01.flavor: unknown flavor "mediun"; did you mean "medium"?`)
	})
}

// A plugin gets the files of the commit, and an empty .git directory instead of the history.
func TestHistoryIsNotSent(t *testing.T) {
	config := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(config, "plugin.yaml"), []byte(`
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: vmrender}
spec:
  generate:
    command: [/bin/sh, -c]
    args: ['echo "{apiVersion: v1, kind: ConfigMap, metadata: {name: sent}, data: {files: \"$(echo * .git/*)\"}}"']
`), 0o600))
	ctx, s := servers(t, config)
	manifests, err := s.Generate(ctx, Application{
		Name: "shop", Namespace: "prod", Path: ".", Repository: commit(t, map[string]string{"fleet.yaml": "", "vms.yaml": ""}),
	})
	require.NoError(t, err)
	require.Len(t, manifests, 1)
	var sent corev1.ConfigMap
	require.NoError(t, json.Unmarshal([]byte(manifests[0]), &sent))
	require.Equal(t, "fleet.yaml vms.yaml .git/*", sent.Data["files"], "the shell leaves a pattern that matches nothing")
}

// A repo-server finds the plugins of two cmp-servers, by their names.
func TestTwoPlugins(t *testing.T) {
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "plugin.yaml"), []byte(`
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: other}
spec:
  generate:
    command: [/bin/sh, -c]
    args: ['echo "{apiVersion: v1, kind: ConfigMap, metadata: {name: $ARGOCD_ENV_NAMED}}"']
`), 0o600))
	ctx, programs := build(t)
	plugins, err := cmpserver.Start(ctx, programs, installation)
	require.NoError(t, err)
	t.Cleanup(func() { plugins.Close() })
	second, err := plugins.StartNext(ctx, programs, other, "other")
	require.NoError(t, err)
	t.Cleanup(func() { second.Close() })
	s, err := Start(ctx, programs, plugins, installation)
	require.NoError(t, err)
	t.Cleanup(s.Close)

	repository := commit(t, map[string]string{
		"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\n" +
			"vms: {web: {os: fedora, flavor: small}}\n",
	})
	application := Application{Name: "shop", Namespace: "prod", Path: ".", Repository: repository}
	manifests, err := s.Generate(ctx, application)
	require.NoError(t, err)
	require.Contains(t, strings.Join(manifests, ""), `"kind":"VirtualMachine"`)

	application.Plugin = v1alpha1.ApplicationSourcePlugin{
		Name: "other", Env: v1alpha1.Env{{Name: "NAMED", Value: "by-the-source"}},
	}
	manifests, err = s.Generate(ctx, application)
	require.NoError(t, err)
	require.Len(t, manifests, 1)
	require.Contains(t, manifests[0], `"name":"by-the-source"`)
}

// The test recognizes a plugin that does not run and a repeated error by Argo CD's own words.
func TestTrouble(t *testing.T) {
	ctx, s := servers(t, installation)
	broken := Application{Name: "shop", Namespace: "prod", Path: ".", Cached: true, Repository: commit(t, map[string]string{
		"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\nvms: {a: {flavor: mediun}}\n",
	})}
	absent := broken
	absent.Plugin.Name = "absent"
	_, err := s.Generate(ctx, absent)
	require.ErrorContains(t, err, `could not find cmp-server plugin with name "absent"`)

	const repeated = "Manifest generation error (cached)"
	for range 3 {
		_, err = s.Generate(ctx, broken)
		require.ErrorContains(t, err, "did you mean")
		require.NotContains(t, err.Error(), repeated)
	}
	_, err = s.Generate(ctx, broken)
	require.ErrorContains(t, err, repeated)
	broken.Cached = false
	_, err = s.Generate(ctx, broken)
	require.ErrorContains(t, err, "did you mean")
	require.NotContains(t, err.Error(), repeated)
}
