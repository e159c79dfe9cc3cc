package delivery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
)

func TestCheckNames(t *testing.T) {
	for name, c := range map[string]struct {
		dirs []string
		want []string
	}{
		"apart": {dirs: []string{"fleet/a", "fleet/b/c"}},
		"same": {
			[]string{"fleet/a-b", "fleet/a/b"},
			[]string{`fleet/a/b: makes the Application's name "site-a-b", as fleet/a-b does`},
		},
		"no name":  {[]string{"fleet/___"}, []string{`fleet/___: makes the name "site-", which an Application cannot have`}},
		"too long": {[]string{"fleet/" + strings.Repeat("a", 59)}, []string{"which an Application cannot have"}},
		"all of them": {
			[]string{"fleet/___", "fleet/A", "fleet/a"},
			[]string{`fleet/___: makes the name "site-"`, `fleet/a: makes the Application's name "site-a", as fleet/A does`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkNames(order{name: "site", path: "fleet"}, c.dirs)
			if c.want == nil {
				require.NoError(t, err)
			}
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// variants returns options that each result in a different Application for a directory.
func variants() []Options {
	var all []Options
	for _, namespace := range []string{"", "east"} {
		for _, overlays := range [][]string{
			nil,
			{"stages/test.yaml"},
			{"clusters/east.yaml"},
			{"clusters/test.yaml"},
			{"clusters/test.yaml", "clusters/east.yaml"},
		} {
			for _, o := range []Options{
				{},
				{Cluster: "east"},
				{Cluster: "test"},
				{AppSet: true},
				{AppSet: true, Clusters: []string{"tier=east"}},
				{AppSet: true, Clusters: []string{"tier=test"}},
				{AppSet: true, Clusters: []string{"tier=east", "vms=yes"}},
				{AppSet: true, Clusters: []string{"tier=east"}, ClusterOverlays: "clusters"},
			} {
				o.Fleet = fleet.Options{Namespace: namespace, Overlays: overlays}
				all = append(all, o)
			}
		}
	}
	return all
}

// named returns the kind and name of an object, and the prefix of the names of an ApplicationSet's Applications.
func named(t *testing.T, object any) (own, applications string) {
	t.Helper()
	switch o := object.(type) {
	case argocd.Application:
		return "Application " + o.Metadata.Name, ""
	case argocd.ApplicationSet:
		return "ApplicationSet " + o.Metadata.Name, o.Spec.Template.Metadata.Name
	}
	t.Fatalf("unexpected %T", object)
	return "", ""
}

// No two Applications or ApplicationSets of a fleet have the same name if they differ in what they render or in
// their cluster. Applying the second one would replace the first.
func TestNamesAreDistinct(t *testing.T) {
	files := site()
	files["clusters/test.yaml"] = "vars: {x: test}\n"
	files["sites/a/test/vms.yaml"], files["sites/a/east/vms.yaml"] = "vms: {t01: {}}\n", "vms: {e01: {}}\n"
	clone(t, gitConfig, files)
	of, templates := map[string]string{}, map[string]string{}
	for _, dir := range []string{"sites/a", "sites/a/prod", "sites/a/test", "sites/a/east"} {
		for _, o := range variants() {
			if o.AppSet && dir != "sites/a" && dir != "sites/a/prod" {
				continue // they contain VMs themselves
			}
			what := fmt.Sprintf("%s %+v", dir, o)
			o.Project, o.Revision = "default", "HEAD"
			require.NoError(t, o.Check())
			object, _, err := plan(t, dir, o).Object()
			require.NoError(t, err, what)
			name, template := named(t, object)
			require.NotContains(t, of, name, "%s is %s", what, of[name])
			of[name] = what
			if template != "" {
				require.NotContains(t, templates, template, "%s is %s", what, templates[template])
				templates[template] = what
			}
		}
	}
	require.Contains(t, of, "Application site-a")
	require.Contains(t, of, "Application site-a-prod")
	require.Contains(t, of, "ApplicationSet site-a")
}

// Options whose values do not fit into a name require --name.
func TestNamesThatAreNeeded(t *testing.T) {
	for option, o := range map[string]Options{
		"--vm":      {Fleet: fleet.Options{VMs: []string{"a"}}},
		"--set":     {AppSet: true, Fleet: fleet.Options{Set: []string{"a=b"}}},
		"--default": {Fleet: fleet.Options{Defaults: []string{"a=b"}}},
		"--server":  {Server: "https://api.example.com:6443"},
	} {
		o.Project = "default"
		require.ErrorContains(t, o.Check(), option+" needs --name")
		o.Name = "own"
		require.NoError(t, o.Check())
	}
	require.NoError(t, (&Options{Project: "default", Server: argocd.OwnCluster}).Check())
}

// The name of the whole fleet's Application must not be used for a part of it, which would prune the rest.
func TestNameOfTheWholeFleet(t *testing.T) {
	clone(t, gitConfig, site())
	for dir, o := range map[string]Options{
		"sites/a":      {Name: "site-a", Fleet: fleet.Options{VMs: []string{"web01"}}},
		"sites/a/prod": {Name: "site-a"},
	} {
		_, _, err := plan(t, dir, o).Object()
		require.ErrorContains(t, err, `--name "site-a": the name of the Application for the whole fleet`)
	}
	_, _, err := plan(t, "sites/a", Options{Name: "site-a", Cluster: "east"}).Object()
	require.NoError(t, err)
}

// Two directories that result in the same name need --name, and a name that is too long is not truncated.
func TestNamesOfDirectories(t *testing.T) {
	files := site()
	files["sites/a/prod-db/vms.yaml"] = "vms: {b: {}}\n"
	long := "sites/a/" + strings.Repeat("long", 15)
	files[long+"/vms.yaml"] = "vms: {c: {}}\n"
	clone(t, gitConfig, files)
	_, _, err := plan(t, "sites/a/prod-db", Options{}).Object()
	require.ErrorContains(t, err, `makes the Application's name "site-a-prod-db", as sites/a/prod/db does; give it`)
	_, _, err = plan(t, "sites/a/prod/db", Options{Name: "own"}).Object()
	require.NoError(t, err)
	_, _, err = plan(t, long, Options{}).Object()
	require.ErrorContains(t, err, "which an Application cannot have; give one with --name")
}

// An Application for selected VMs never prunes automatically.
func TestSelectionPrunesNothing(t *testing.T) {
	clone(t, gitConfig, site())
	object, notes, err := plan(t, "sites/a", Options{Name: "one", Fleet: fleet.Options{VMs: []string{"web01"}}}).Object()
	require.NoError(t, err)
	require.Len(t, notes, 1)
	automated := object.(argocd.Application).Spec.SyncPolicy.Automated
	require.Equal(t, &argocd.SyncPolicyAutomated{SelfHeal: true}, automated)
}

// An Application for a directory that is also a platform specifies that it renders the fleet.
func TestBesideAPlatform(t *testing.T) {
	files := site()
	files["sites/a/platform.yaml"] = "apiVersion: vmrender.io/v1alpha1\nkind: Platform\nmetadata: {name: a}\n"
	clone(t, gitConfig, files)
	for dir, want := range map[string]bool{"sites/a": true, "sites/a/prod": false} {
		object, _, err := plan(t, dir, Options{}).Object()
		require.NoError(t, err)
		parameters := object.(argocd.Application).Spec.Source.Plugin.Parameters
		require.Equal(t, want, len(parameters) == 1 && parameters[0].Name == "layer" && *parameters[0].String == "-")
	}
}

func TestCheckSteps(t *testing.T) {
	dirs := []string{"fleet/lab", "fleet/prod/db", "fleet/prod/web"}
	for name, c := range map[string]struct {
		rolling *rolling
		want    string
	}{
		"none":        {},
		"directories": {rolling: &rolling{steps: []string{"prod", "lab"}}},
		"of clusters": {rolling: &rolling{clusterLabel: "tier", steps: []string{"gold"}}},
		"not right below": {
			&rolling{steps: []string{"lab", "db"}}, `--rolling "db": no directory with VMs directly below fleet`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkSteps(order{path: "fleet"}, spread{directories: dirs, rolling: c.rolling})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// Applications that belong to no step come last, because Argo CD would never sync them otherwise.
func TestStrategy(t *testing.T) {
	require.Nil(t, (*rolling)(nil).strategy())
	steps := (&rolling{steps: []string{"Lab_1", "prod"}, maxUpdate: 1}).strategy().RollingSync.Steps
	require.Len(t, steps, 3)
	for i, want := range []struct {
		operator string
		values   []string
	}{{"In", []string{"lab-1"}}, {"In", []string{"prod"}}, {"NotIn", []string{"lab-1", "prod"}}} {
		match := steps[i].MatchExpressions[0]
		require.Equal(t, "vmrender.io/directory", match.Key)
		require.Equal(t, want.operator, match.Operator)
		require.Equal(t, want.values, match.Values)
		require.Equal(t, 1, steps[i].MaxUpdate)
	}
	byLabel := (&rolling{clusterLabel: "tier", steps: []string{"Gold"}}).strategy().RollingSync.Steps
	require.Equal(t, "tier", byLabel[0].MatchExpressions[0].Key)
	require.Equal(t, []string{"Gold"}, byLabel[0].MatchExpressions[0].Values, "a cluster's label is as it is")
}
