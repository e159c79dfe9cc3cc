package cmpserver

import (
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/stretchr/testify/require"
)

// site returns an Application of a fleet with an overlay next to it.
func site(t *testing.T) Application {
	return Application{
		Name: "web", Namespace: "prod", Path: "sites/a",
		Root: tree(t, map[string]string{
			"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: site-a}\nignore: [stages]\n" +
				"vars: {tier: silver, net: {mtu: 1500}, adminPassword: hunter2}\n" +
				"defaults: {os: fedora, flavor: small, labels: {tier: '{{ .vars.tier }}'}}\n",
			"stages/test.yaml": "vars: {tier: gold}\ndefaults: {memory: 7Gi}\n",
			"sites/a/vms.yaml": "vms: {web01: {}, web02: {}}\n",
			"sites/b/vms.yaml": "vms: {db01: {}}\n",
		}),
	}
}

// TestParameters shows that an Application's settings reach the plugin as
// parameters and as environment, and have the same effect as the command's
// options.
func TestParameters(t *testing.T) {
	s := serve(t)
	for _, test := range []struct {
		name       string
		parameters v1alpha1.ApplicationSourcePluginParameters
		env        []string
		path       string
		args       []string
	}{
		{name: "none"},
		{name: "another directory", path: "sites/b"},
		{name: "the root", path: "."},
		{
			name: "vm", args: []string{"--vm", "web02"},
			parameters: v1alpha1.ApplicationSourcePluginParameters{array("vm", "web02")},
		},
		{
			name: "overlay", args: []string{"--overlay", "../../stages/test.yaml"},
			parameters: v1alpha1.ApplicationSourcePluginParameters{array("overlay", "/stages/test.yaml")},
		},
		{
			name: "vars", args: []string{"--set", "tier=bronze"},
			parameters: v1alpha1.ApplicationSourcePluginParameters{{
				Name: "vars", OptionalMap: &v1alpha1.OptionalMap{Map: map[string]string{"tier": "bronze"}},
			}},
		},
		{
			name: "namespace", args: []string{"--namespace", "other"},
			parameters: v1alpha1.ApplicationSourcePluginParameters{text("namespace", "other")},
		},
		{
			name: "environment", args: []string{"--namespace", "other"},
			env: []string{"ARGOCD_ENV_VMRENDER_NAMESPACE=other"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := site(t)
			a.Parameters, a.Env = test.parameters, test.env
			if test.path != "" {
				a.Path = test.path
			}
			want, complaint := byHand(t, a, test.args...)
			require.Empty(t, complaint)
			manifests, err := s.Generate(patient(t), a)
			require.NoError(t, err)
			require.Equal(t, want, objects(t, manifests...))
		})
	}
}

func text(name, value string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value}
}

func array(name string, values ...string) v1alpha1.ApplicationSourcePluginParameter {
	return v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalArray: &v1alpha1.OptionalArray{Array: values}}
}

func TestUnknownParameter(t *testing.T) {
	a := site(t)
	a.Parameters = v1alpha1.ApplicationSourcePluginParameters{array("overlays", "hunter2")}
	_, err := serve(t).Generate(patient(t), a)
	require.EqualError(t, err, refusal("unknown parameter \"overlays\"; did you mean \"overlay\"?"))
}

// The form in Argo CD's web interface shows the fleet's vars unchanged, with
// the Application's overlays, and no secrets.
func TestAnnouncements(t *testing.T) {
	a := site(t)
	a.Parameters = v1alpha1.ApplicationSourcePluginParameters{array("overlay", "/stages/test.yaml")}
	response, err := serve(t).Announcements(patient(t), a)
	require.NoError(t, err)
	announced := map[string]*apiclient.ParameterAnnouncement{}
	for _, announcement := range response.ParameterAnnouncements {
		require.NotContains(t, announced, announcement.Name, "announced twice")
		announced[announcement.Name] = announcement
	}
	for name, collection := range map[string]string{"namespace": "string", "vm": "array", "overlay": "array", "vars": "map"} {
		require.Contains(t, announced, name)
		require.Equal(t, collection, announced[name].CollectionType, name)
		require.NotEmpty(t, announced[name].Tooltip, name)
	}
	require.Empty(t, announced["vars"].Map, "values can be secrets")
	require.Contains(t, announced["vars"].Tooltip, "net.mtu, tier")
}
