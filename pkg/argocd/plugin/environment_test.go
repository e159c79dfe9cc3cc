package plugin_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
)

func TestReadEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		want    plugin.Request
	}{
		"nothing": {want: plugin.Request{}},
		"application": {
			[]string{
				"ARGOCD_APP_NAME=app", "ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=sites/a", "ARGOCD_APP_PARAMETERS=[]",
			},
			plugin.Request{Application: "app", Namespace: "prod", SourcePath: "sites/a"},
		},
		"cluster": {
			[]string{"KUBE_VERSION=1.34.1", "KUBE_API_VERSIONS=v1,v1/Secret"},
			plugin.Request{KubeVersion: "1.34.1", APIVersions: "v1,v1/Secret"},
		},
		"image": {[]string{"VMRENDER_IMAGE=registry.example.com/vmrender:1"}, plugin.Request{
			Image: "registry.example.com/vmrender:1",
		}},
		"image that is not set": {[]string{"VMRENDER_IMAGE=" + plugin.Placeholder}, plugin.Request{}},
		"defaults": {
			[]string{
				`ARGOCD_ENV_VMRENDER_DEFAULTS={"runStrategy": "Halted", "tpm": "true"}`,
				`ARGOCD_APP_PARAMETERS=[{"name":"defaults","map":{"runStrategy":"Manual"}}]`,
			},
			plugin.Request{Defaults: map[string]string{"runStrategy": "Manual", "tpm": "true"}},
		},
		"parameters": {
			[]string{
				"ARGOCD_APP_NAMESPACE=prod",
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":"test"},{"name":"vm","array":["a","b/c"]},` +
					`{"name":"overlay","array":["x.yaml"]},{"map":{"a.b":"1=2","c":""},"name":"vars"}]`,
			},
			plugin.Request{
				Namespace: "test", VMs: []string{"a", "b/c"}, Overlays: []string{"x.yaml"},
				Vars: map[string]string{"a.b": "1=2", "c": ""},
			},
		},
		"variables": {
			[]string{
				"ARGOCD_ENV_VMRENDER_NAMESPACE=test", "ARGOCD_ENV_VMRENDER_VM= a ,b", "ARGOCD_ENV_VMRENDER_OVERLAY=x.yaml,/y.yaml",
				`ARGOCD_ENV_VMRENDER_VARS={"a": "1, 2"}`, "ARGOCD_ENV_OTHER=x", "VMRENDER_VM=x",
			},
			plugin.Request{
				Namespace: "test", VMs: []string{"a", "b"}, Overlays: []string{"x.yaml", "/y.yaml"},
				Vars: map[string]string{"a": "1, 2"},
			},
		},
		"parameters win": {
			[]string{
				"ARGOCD_ENV_VMRENDER_NAMESPACE=variable", "ARGOCD_ENV_VMRENDER_VM=a,b",
				`ARGOCD_ENV_VMRENDER_VARS={"a":"1","b":"2"}`,
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":"parameter"},{"name":"vm","array":[]},` +
					`{"name":"vars","map":{"b":"3"}}]`,
			},
			plugin.Request{Namespace: "parameter", VMs: []string{}, Vars: map[string]string{"a": "1", "b": "3"}},
		},
		"empty values": {
			[]string{
				"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_ENV_VMRENDER_NAMESPACE=", "ARGOCD_ENV_VMRENDER_VM= ",
				"ARGOCD_ENV_VMRENDER_VARS=",
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":""}]`,
			},
			plugin.Request{Namespace: "prod", VMs: []string{}, Vars: map[string]string{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Content = plugin.Fleet
			app, errs := plugin.ReadEnvironment(c.environ, plugin.Fleet)
			require.Empty(t, errs)
			require.Equal(t, c.want, app)
		})
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		want    []string
		content plugin.Content
	}{
		"for a platform": {
			environ: []string{`ARGOCD_APP_PARAMETERS=[{"name":"layer","string":"network"}]`},
			want:    []string{`parameter "layer": is for a platform; this Application renders a fleet`},
		},
		"for a fleet": {
			environ: []string{
				`ARGOCD_APP_PARAMETERS=[{"name":"layer","string":"network"},{"name":"vm","array":["a"]},` +
					`{"name":"overlay","array":[]}]`,
				"ARGOCD_ENV_VMRENDER_DEFAULTS={\"a\":\"hunter2\"}",
			},
			want: []string{
				`parameter "vm": is for a fleet; this Application renders a platform`,
				`variable "VMRENDER_DEFAULTS": is for a fleet; this Application renders a platform`,
			},
			content: plugin.Platform,
		},
		"not JSON": {
			environ: []string{"ARGOCD_APP_PARAMETERS=hunter2"},
			want: []string{
				"ARGOCD_APP_PARAMETERS: not what Argo CD writes; " +
					"expected a JSON list of objects with name, and string, array or map",
			},
		},
		"another type": {
			environ: []string{`ARGOCD_APP_PARAMETERS=[{"name":"vars","map":{"a":13}}]`},
			want: []string{
				"ARGOCD_APP_PARAMETERS: not what Argo CD writes; " +
					"expected a JSON list of objects with name, and string, array or map",
			},
		},
		"unknown": {
			environ: []string{
				`ARGOCD_APP_PARAMETERS=[{"name":"vms","array":["hunter2"]},{"name":"","string":"x"}]`,
				"ARGOCD_ENV_VMRENDER_NS=hunter2", "ARGOCD_ENV_VMRENDER_vm=x", "ARGOCD_ENV_VMRENDER_IMAGE=registry.example.com/x",
			},
			want: []string{
				`unknown parameter ""`, `unknown parameter "vms"`, `unknown variable "VMRENDER_IMAGE"`,
				`unknown variable "VMRENDER_NS"`, `unknown variable "VMRENDER_vm"`,
			},
		},
		"collection types": {
			environ: []string{
				`ARGOCD_APP_PARAMETERS=[{"name":"vm","string":"hunter2"},{"name":"vars"},` +
					`{"name":"overlay","string":"a","array":["b"]},{"name":"namespace","array":["x"]}]`,
			},
			want: []string{
				`parameter "namespace": has the value in array; expected it in "string"`,
				`parameter "overlay": has the value in string and array; expected it in "array"`,
				`parameter "vars": has the value in none; expected it in "map"`,
				`parameter "vm": has the value in string; expected it in "array"`,
			},
		},
		"items and keys": {
			environ: []string{
				`ARGOCD_APP_PARAMETERS=[{"name":"vm","array":["a",""]},{"name":"vars","map":{"a..b":"hunter2"}}]`,
				"ARGOCD_ENV_VMRENDER_VM=a,,b", `ARGOCD_ENV_VMRENDER_VARS={"a=b": "hunter2"}`,
			},
			want: []string{
				`parameter "vars": invalid key "a..b"; expected a name, with a dot between the names of a path`,
				`parameter "vm": item 2 is empty; expected a string, or no item`,
				`variable "VMRENDER_VARS": invalid key "a=b"; expected a name, with a dot between the names of a path`,
				`variable "VMRENDER_VM": item 2 is empty; expected a string, or no item`,
			},
		},
		"map as string": {
			environ: []string{"ARGOCD_ENV_VMRENDER_VARS=a=hunter2"},
			want: []string{
				`variable "VMRENDER_VARS": not a map; expected a JSON object of strings, such as {"tier": "gold"}`,
			},
		},
		"twice": {
			environ: []string{`ARGOCD_APP_PARAMETERS=[{"name":"vm","array":["a"]},{"name":"vm","array":["b"]}]`},
			want:    []string{`parameter "vm": given twice; expected it once`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := plugin.ReadEnvironment(c.environ, cmp.Or(c.content, plugin.Fleet))
			require.Equal(t, c.want, messages(errs))
		})
	}
}

func messages(errs []error) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// A directory can contain a fleet and a platform. The layer selects one of them, because the wrong one would delete
// all objects of the other.
func TestContent(t *testing.T) {
	both := []plugin.Content{plugin.Fleet, plugin.Platform}
	for _, c := range []struct {
		layer    string
		contents []plugin.Content
		want     plugin.Content
		problem  string
	}{
		{"", both[:1], plugin.Fleet, ""},
		{"-", both[:1], plugin.Fleet, ""},
		{"*", both[:1], plugin.Fleet, `variable "VMRENDER_LAYER": is for a platform; this Application renders a fleet`},
		{"", both[1:], plugin.Platform, ""},
		{"network", both[1:], plugin.Platform, ""},
		{"-", both[1:], plugin.Platform, `variable "VMRENDER_LAYER": is for a fleet; this Application renders a platform`},
		{"", both, plugin.Fleet, `parameter "layer": not set, but the directory has both a fleet.yaml and a platform.yaml; ` +
			`expected "-" for the fleet, "*" for the platform, or the name of a layer`},
		{"-", both, plugin.Fleet, ""},
		{"*", both, plugin.Platform, ""},
		{"network", both, plugin.Platform, ""},
	} {
		app, errs := plugin.ReadEnvironment([]string{"ARGOCD_ENV_VMRENDER_LAYER=" + c.layer}, c.contents...)
		require.Equal(t, c.want, app.Content, c)
		if c.problem == "" {
			require.Empty(t, errs, c)
		} else {
			require.Len(t, errs, 1, c)
			require.EqualError(t, errs[0], c.problem)
		}
	}
}

func TestUnknownNamesComeWithTheKnown(t *testing.T) {
	_, errs := plugin.ReadEnvironment([]string{`ARGOCD_APP_PARAMETERS=[{"name":"x"}]`, "ARGOCD_ENV_VMRENDER_X=1"},
		plugin.Fleet)
	require.Len(t, errs, 2)
	var unknown *plugin.UnknownNameError
	require.ErrorAs(t, errs[0], &unknown)
	require.Equal(t, []string{"namespace", "vm", "overlay", "defaults", "vars", "layer"}, unknown.Known)
	require.ErrorAs(t, errs[1], &unknown)
	require.Equal(t, []string{
		"VMRENDER_NAMESPACE", "VMRENDER_VM", "VMRENDER_OVERLAY", "VMRENDER_DEFAULTS", "VMRENDER_VARS", "VMRENDER_LAYER",
	}, unknown.Known)
}

func TestRepositoryRoot(t *testing.T) {
	for name, c := range map[string]struct{ dir, source, want, above string }{
		"root":              {"/tmp/_cmp_server/1d/", ".", "/tmp/_cmp_server/1d", "/"},
		"unknown":           {"/tmp/_cmp_server/1d", "", "/tmp/_cmp_server/1d", "/"},
		"directory":         {"/tmp/_cmp_server/1d/sites/a", "sites/a", "/tmp/_cmp_server/1d", "/"},
		"trailing slash":    {"/tmp/_cmp_server/1d/sites/a", "./sites/a/", "/tmp/_cmp_server/1d", "/"},
		"part of a tree":    {"/tmp/_cmp_server/1d/a/vms", "sites/a/vms", "/tmp/_cmp_server/1d", "/sites"},
		"part, root itself": {"/tmp/_cmp_server/1d", "sites/a/vms", "/tmp/_cmp_server/1d", "/sites/a/vms"},
		"same names":        {"/tmp/_cmp_server/1d/a/a", "a/a/a", "/tmp/_cmp_server/1d", "/a"},
		"climbing path":     {"/tmp/_cmp_server/1d/a", "../../a", "/tmp/_cmp_server/1d", "/"},
		"all of the path":   {"/a", "a", "/", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			root, above := plugin.RepositoryRoot(c.dir, c.source)
			require.Equal(t, c.want, root)
			require.Equal(t, c.above, above)
		})
	}
}

func FuzzReadEnvironment(f *testing.F) {
	f.Add(`[{"name":"vars","map":{"a":"b"}}]`, `{"a":"b"}`, "a,b")
	f.Add(`[{"name":"vm","array":[""]},{"name":"vm","string":"x"}]`, "a=b", ",")
	f.Fuzz(func(t *testing.T, parameters, vars, vms string) {
		app, errs := plugin.ReadEnvironment([]string{
			"ARGOCD_APP_PARAMETERS=" + parameters, "ARGOCD_ENV_VMRENDER_VARS=" + vars, "ARGOCD_ENV_VMRENDER_VM=" + vms,
		}, plugin.Fleet)
		require.NotContains(t, app.VMs, "", "an empty name must not select")
		for key := range app.Vars {
			require.NotContains(t, key, "=")
		}
		for _, err := range errs {
			require.NotEmpty(t, err.Error())
		}
	})
}
