package argocd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
)

func TestReadEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		want    argocd.Application
	}{
		"nothing": {want: argocd.Application{}},
		"application": {
			[]string{"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=sites/a", "ARGOCD_APP_PARAMETERS=[]"},
			argocd.Application{Namespace: "prod", SourcePath: "sites/a"},
		},
		"parameters": {
			[]string{
				"ARGOCD_APP_NAMESPACE=prod",
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":"test"},{"name":"vm","array":["a","b/c"]},` +
					`{"name":"overlay","array":["x.yaml"]},{"map":{"a.b":"1=2","c":""},"name":"vars"}]`,
			},
			argocd.Application{
				Namespace: "test", VMs: []string{"a", "b/c"}, Overlays: []string{"x.yaml"},
				Vars: map[string]string{"a.b": "1=2", "c": ""},
			},
		},
		"variables": {
			[]string{
				"ARGOCD_ENV_VMRENDER_NAMESPACE=test", "ARGOCD_ENV_VMRENDER_VM= a ,b", "ARGOCD_ENV_VMRENDER_OVERLAY=x.yaml,/y.yaml",
				`ARGOCD_ENV_VMRENDER_VARS={"a": "1, 2"}`, "ARGOCD_ENV_OTHER=x", "VMRENDER_VM=x",
			},
			argocd.Application{
				Namespace: "test", VMs: []string{"a", "b"}, Overlays: []string{"x.yaml", "/y.yaml"},
				Vars: map[string]string{"a": "1, 2"},
			},
		},
		"parameters win": {
			[]string{
				"ARGOCD_ENV_VMRENDER_NAMESPACE=variable", "ARGOCD_ENV_VMRENDER_VM=a,b", `ARGOCD_ENV_VMRENDER_VARS={"a":"1","b":"2"}`,
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":"parameter"},{"name":"vm","array":[]},{"name":"vars","map":{"b":"3"}}]`,
			},
			argocd.Application{Namespace: "parameter", VMs: []string{}, Vars: map[string]string{"a": "1", "b": "3"}},
		},
		"empty values": {
			[]string{
				"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_ENV_VMRENDER_NAMESPACE=", "ARGOCD_ENV_VMRENDER_VM= ", "ARGOCD_ENV_VMRENDER_VARS=",
				`ARGOCD_APP_PARAMETERS=[{"name":"namespace","string":""}]`,
			},
			argocd.Application{Namespace: "prod", VMs: []string{}, Vars: map[string]string{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			app, errs := argocd.ReadEnvironment(c.environ)
			require.Empty(t, errs)
			require.Equal(t, c.want, app)
		})
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		want    []string
	}{
		"not JSON": {
			[]string{"ARGOCD_APP_PARAMETERS=hunter2"},
			[]string{"ARGOCD_APP_PARAMETERS: not what Argo CD writes; want a JSON list of objects with name, and string, array or map"},
		},
		"another type": {
			[]string{`ARGOCD_APP_PARAMETERS=[{"name":"vars","map":{"a":13}}]`},
			[]string{"ARGOCD_APP_PARAMETERS: not what Argo CD writes; want a JSON list of objects with name, and string, array or map"},
		},
		"unknown": {
			[]string{`ARGOCD_APP_PARAMETERS=[{"name":"vms","array":["hunter2"]},{"name":"","string":"x"}]`, "ARGOCD_ENV_VMRENDER_NS=hunter2", "ARGOCD_ENV_VMRENDER_vm=x"},
			[]string{`unknown parameter ""`, `unknown parameter "vms"`, `unknown variable "VMRENDER_NS"`, `unknown variable "VMRENDER_vm"`},
		},
		"collection types": {
			[]string{`ARGOCD_APP_PARAMETERS=[{"name":"vm","string":"hunter2"},{"name":"vars"},{"name":"overlay","string":"a","array":["b"]},{"name":"namespace","array":["x"]}]`},
			[]string{
				`parameter "namespace": has the value in array; want it in "string"`,
				`parameter "overlay": has the value in string and array; want it in "array"`,
				`parameter "vars": has the value in none; want it in "map"`,
				`parameter "vm": has the value in string; want it in "array"`,
			},
		},
		"items and keys": {
			[]string{
				`ARGOCD_APP_PARAMETERS=[{"name":"vm","array":["a",""]},{"name":"vars","map":{"a..b":"hunter2"}}]`,
				"ARGOCD_ENV_VMRENDER_VM=a,,b", `ARGOCD_ENV_VMRENDER_VARS={"a=b": "hunter2"}`,
			},
			[]string{
				`parameter "vars": bad key "a..b"; want a name, with a dot between the names of a path`,
				`parameter "vm": item 2 is empty; want a text, or no item`,
				`variable "VMRENDER_VARS": bad key "a=b"; want a name, with a dot between the names of a path`,
				`variable "VMRENDER_VM": item 2 is empty; want a text, or no item`,
			},
		},
		"map as text": {
			[]string{"ARGOCD_ENV_VMRENDER_VARS=a=hunter2"},
			[]string{`variable "VMRENDER_VARS": not a map; want a JSON object of texts, such as {"tier": "gold"}`},
		},
		"twice": {
			[]string{`ARGOCD_APP_PARAMETERS=[{"name":"vm","array":["a"]},{"name":"vm","array":["b"]}]`},
			[]string{`parameter "vm": given twice; want it once`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := argocd.ReadEnvironment(c.environ)
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

func TestUnknownNamesComeWithTheKnown(t *testing.T) {
	_, errs := argocd.ReadEnvironment([]string{`ARGOCD_APP_PARAMETERS=[{"name":"x"}]`, "ARGOCD_ENV_VMRENDER_X=1"})
	require.Len(t, errs, 2)
	var unknown *argocd.UnknownNameError
	require.ErrorAs(t, errs[0], &unknown)
	require.Equal(t, []string{"namespace", "vm", "overlay", "vars"}, unknown.Known)
	require.ErrorAs(t, errs[1], &unknown)
	require.Equal(t, []string{"VMRENDER_NAMESPACE", "VMRENDER_VM", "VMRENDER_OVERLAY", "VMRENDER_VARS"}, unknown.Known)
}

func TestRepositoryRoot(t *testing.T) {
	for name, c := range map[string]struct{ dir, source, want string }{
		"root":              {"/tmp/_cmp_server/1d/", ".", "/tmp/_cmp_server/1d"},
		"unknown":           {"/tmp/_cmp_server/1d", "", "/tmp/_cmp_server/1d"},
		"directory":         {"/tmp/_cmp_server/1d/sites/a", "sites/a", "/tmp/_cmp_server/1d"},
		"trailing slash":    {"/tmp/_cmp_server/1d/sites/a", "./sites/a/", "/tmp/_cmp_server/1d"},
		"part of a tree":    {"/tmp/_cmp_server/1d/a/vms", "sites/a/vms", "/tmp/_cmp_server/1d"},
		"part, root itself": {"/tmp/_cmp_server/1d", "sites/a/vms", "/tmp/_cmp_server/1d"},
		"same names":        {"/tmp/_cmp_server/1d/a/a", "a/a/a", "/tmp/_cmp_server/1d"},
		"climbing path":     {"/tmp/_cmp_server/1d/a", "../../a", "/tmp/_cmp_server/1d"},
		"all of the path":   {"/a", "a", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, argocd.RepositoryRoot(c.dir, c.source))
		})
	}
}

func FuzzReadEnvironment(f *testing.F) {
	f.Add(`[{"name":"vars","map":{"a":"b"}}]`, `{"a":"b"}`, "a,b")
	f.Add(`[{"name":"vm","array":[""]},{"name":"vm","string":"x"}]`, "a=b", ",")
	f.Fuzz(func(t *testing.T, parameters, vars, vms string) {
		app, errs := argocd.ReadEnvironment([]string{
			"ARGOCD_APP_PARAMETERS=" + parameters, "ARGOCD_ENV_VMRENDER_VARS=" + vars, "ARGOCD_ENV_VMRENDER_VM=" + vms,
		})
		require.NotContains(t, app.VMs, "", "an empty name must not select")
		for key := range app.Vars {
			require.NotContains(t, key, "=")
		}
		for _, err := range errs {
			require.NotEmpty(t, err.Error())
		}
	})
}
