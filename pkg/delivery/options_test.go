package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

func TestCheck(t *testing.T) {
	set := Options{AppSet: true}
	with := func(o Options, change func(*Options)) Options {
		change(&o)
		return o
	}
	window := func(text string) Options { return Options{RestartWindow: text, WithProject: true, Project: "a"} }
	for want, o := range map[string]Options{
		"--server and --cluster both name the destination": {Server: "https://x", Cluster: "x"},
		"--clusters needs --appset":                        {Clusters: []string{"a=b"}},
		"--rolling needs --appset":                         {Rolling: []string{"lab"}},
		"remove --server and --cluster": with(set,
			func(o *Options) { o.Clusters, o.Cluster = []string{"a=b"}, "x" }),
		"--cluster-overlays needs --clusters": with(set,
			func(o *Options) { o.ClusterOverlays = "x" }),
		"--max-update needs --rolling": with(set, func(o *Options) { o.MaxUpdate = "1" }),
		"remove --appset": with(set,
			func(o *Options) { o.Fleet = fleet.Options{VMs: []string{"a"}} }),
		`--max-update "0"; expected a number from 1`: with(set,
			func(o *Options) { o.Rolling, o.MaxUpdate = []string{"lab"}, "0" }),
		`--max-update "101%"; expected`: with(set,
			func(o *Options) { o.Rolling, o.MaxUpdate = []string{"lab"}, "101%" }),
		`--name "A": not a name`:                    {Name: "A"},
		`--namespace "A": not a namespace`:          {Fleet: fleet.Options{Namespace: "A"}},
		`--argocd-namespace "a.b": not a namespace`: {ArgoCDNamespace: "a.b"},
		"--server is not the URL of an API server":  {Server: "x"},
		`--rolling "lab": given twice`: with(set,
			func(o *Options) { o.Rolling = []string{"lab", "prod", "lab"} }),
		"--rolling by a label of clusters needs --clusters": with(set,
			func(o *Options) { o.Rolling = []string{"a=b"} }),
		`--rolling has the labels "a" and "c"`: with(set,
			func(o *Options) { o.Clusters, o.Rolling = []string{"a=b"}, []string{"a=b", "c=d"} }),
		`--rolling "lab": not a label`: with(set,
			func(o *Options) { o.Clusters, o.Rolling = []string{"a=b"}, []string{"a=b", "lab"} }),
		`--clusters "a": not a label`: with(set,
			func(o *Options) { o.Clusters = []string{"a"} }),
		`--ignore "/spec/runstrategy": not a field that may be left`:  {Ignore: []string{"/spec/runstrategy"}},
		`--ignore "/spec/template": not a field that may be left to`:  {Ignore: []string{"/spec/template"}},
		"--restart-window needs --with-project":                       {RestartWindow: "0 22 * * 6 4h"},
		`--restart-window "22:00": not a window; expected the five`:   window("22:00"),
		`--restart-window "0 22 * * 6 0s": "0s" is not a duration`:    window("0 22 * * 6 0s"),
		`--restart-window "0 22 * * 6; 4h": not a window`:             window("0 22 * * 6; 4h"),
		"--plan-url: not the URL of a page, or one with credentials":  {PlanURL: "https://u:p@ci.example.com/plans"},
		"--plan-url: not the URL of a page, or one with":              {PlanURL: "plans"},
		`--project "Team A": not a name; expected at most 63 lower c`: {Project: "Team A"},
	} {
		if o.Project == "" {
			o.Project = "default"
		}
		require.ErrorContains(t, o.Check(), want)
	}
	for _, o := range []Options{
		{},
		{
			Server: "https://api.example.com:6443", Name: "web", ArgoCDNamespace: "gitops",
			Ignore: []string{"/spec/runStrategy"},
		},
		{
			AppSet: true, Clusters: []string{"example.com/vms=yes", "b="}, Rolling: []string{"a=lab", "a=prod"},
			MaxUpdate: "100%",
		},
	} {
		o.Project = "default"
		require.NoError(t, o.Check())
	}
}

func TestIgnoredDifferences(t *testing.T) {
	vms := func(optional ...string) []string {
		ignored, err := ignoredDifferences(optional)
		require.NoError(t, err)
		for _, i := range ignored {
			require.Contains(t, []string{"kubevirt.io", "cdi.kubevirt.io", "pool.kubevirt.io"}, i.Group,
				"only kinds that fleets are rendered to")
			if i.Kind == "VirtualMachine" {
				return i.JSONPointers
			}
		}
		return nil
	}
	always := vms()
	require.NotContains(t, always, "/spec/runStrategy")
	require.Equal(t, append(always, "/spec/runStrategy"), vms("/spec/runStrategy"))
}
