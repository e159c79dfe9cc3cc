package delivery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

const (
	header = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: site-a}\ntarget: {argocd: \"3.1\"}\n" +
		"defaults: {namespace: shop, os: fedora, flavor: small}\n"
	gitConfig = "[remote \"origin\"]\n\turl = https://git.example.com/vms.git\n"
)

// clone writes a clone of a repository, with files by their paths in it, and changes to
// it.
func clone(t *testing.T, config string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, ".git/config", config)
	for name, text := range files {
		write(t, name, text)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// site returns a fleet with VMs in two levels of directories, and other files next to
// them.
func site() map[string]string {
	return map[string]string{
		"sites/a/fleet.yaml":          header,
		"sites/a/lab/vms.yaml":        "vms: {lab01: {}}\n",
		"sites/a/prod/_defaults.yaml": "flavor: medium\n",
		"sites/a/prod/db/vms.yaml":    "vms: {db01: {}}\n",
		"sites/a/prod/web/vms.yaml":   "vms: {web01: {}}\n",
		"sites/a/docs/notes.txt":      "none\n",
		"sites/a/.hidden/notes.txt":   "none\n",
		"clusters/east.yaml":          "vars: {x: east}\n",
		"clusters/west.yaml":          "vars: {x: west}\n",
		"stages/test.yaml":            "vars: {stage: test}\n",
	}
}

// plan reads the fleet or directory at dir, which must have no errors.
func plan(t *testing.T, dir string, o Options) *Plan {
	t.Helper()
	p, diags, err := Read(dir, o, inventory.Load)
	require.NoError(t, err)
	require.Empty(t, diags.Sorted())
	p.repo, err = findRepository(dir)
	require.NoError(t, err)
	return p
}

func TestOrder(t *testing.T) {
	clone(t, gitConfig, site())
	o := Options{
		Name: "own", Project: "vms", Revision: "main", Ignore: []string{"/spec/runStrategy"},
		Fleet: fleet.Options{
			Namespace: "shop", Overlays: []string{"stages/test.yaml"}, VMs: []string{"web01"}, Set: []string{"a.b=1=2"},
		},
	}
	found := new(findings)
	got := plan(t, "sites/a/prod", o).order([]string{"sites/a/prod"}, found)
	require.NoError(t, found.err())
	require.Empty(t, found.notes)
	require.Contains(t, got.ignoreDifferences[0].JSONPointers, "/spec/runStrategy")
	got.ignoreDifferences = nil
	require.Equal(t, order{
		name: "own", namespace: "argocd", argocd: "argocd", isSelection: true, fleet: "site-a", project: "vms",
		repoURL: "https://git.example.com/vms.git", revision: "main", path: "sites/a/prod",
		inputs: []string{
			"sites/a/.held", "sites/a/_defaults.yaml", "sites/a/fleet.yaml", "sites/a/platform.yaml", "stages/test.yaml",
		},
		parameters: []argocd.ApplicationSourcePluginParameter{
			{Name: "vm", Array: []string{"web01"}},
			{Name: "overlay", Array: []string{"/stages/test.yaml"}},
			{Name: "vars", Map: map[string]string{"a.b": "1=2"}},
		},
		destination:    argocd.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: "shop"},
		respectIgnored: true,
	}, got)
}

func TestSpread(t *testing.T) {
	clone(t, gitConfig, site())
	dirs := []string{"sites/a/lab", "sites/a/prod/db", "sites/a/prod/web"}
	for name, c := range map[string]struct {
		options Options
		want    spread
	}{
		"directories": {
			Options{Rolling: []string{"lab", "prod"}, MaxUpdate: "25%"},
			spread{clusters: map[string]string{}, rolling: &rolling{steps: []string{"lab", "prod"}, maxUpdate: "25%"}},
		},
		"clusters": {
			Options{Clusters: []string{"vms=yes"}, ClusterOverlays: "clusters", Rolling: []string{"tier=lab"}, MaxUpdate: "2"},
			spread{
				clusters: map[string]string{"vms": "yes"}, overlays: "clusters",
				rolling: &rolling{clusterLabel: "tier", steps: []string{"lab"}, maxUpdate: 2},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, "sites/a", c.options)
			require.Equal(t, dirs, p.fleet.Directories())
			found := new(findings)
			c.want.root, c.want.directories = "sites/a", dirs
			c.want.others = []string{"sites/a/docs", "sites/a/prod"}
			require.Equal(t, c.want, p.spread(dirs, found))
			require.NoError(t, found.err())
		})
	}
}

// Every cluster's overlay is checked, and a problem that all of them have is reported
// once.
func TestReadWithOverlaysOfClusters(t *testing.T) {
	clone(t, gitConfig, site())
	write(t, "sites/a/prod/db/vms.yaml", "vms: {db01: {memroy: 1Gi}}\n")
	write(t, "clusters/east.yaml", "vras: {}\n")
	_, diags, err := Read("sites/a", Options{ClusterOverlays: "clusters"}, inventory.Load)
	require.NoError(t, err)
	var texts []string
	for _, d := range diags.Sorted() {
		texts = append(texts, d.String())
	}
	require.Len(t, texts, 2, texts)
	require.Contains(t, texts[0], `clusters/east.yaml:1:1: vras: unknown key "vras"`)
	require.Contains(t, texts[1], `sites/a/prod/db/vms.yaml:1:14: vms.db01.memroy: unknown key "memroy"`)

	_, _, err = Read("sites/a", Options{ClusterOverlays: "stage"}, inventory.Load)
	require.EqualError(t, err,
		`--cluster-overlays "stage": no such directory; expected one relative to the working directory`)

	_, _, err = Read("sites/a", Options{ClusterOverlays: "."}, inventory.Load)
	require.EqualError(t, err, `--cluster-overlays ".": no overlays there; expected a file NAME.yaml for each cluster`)
}

func TestObject(t *testing.T) {
	for name, c := range map[string]struct {
		dir     string
		options Options
		config  string
		files   map[string]string
		notes   string
		problem string
	}{
		"application":     {dir: "sites/a"},
		"application set": {dir: "sites/a", options: Options{AppSet: true}},
		"credentials": {
			dir: "sites/a", config: "[remote \"origin\"]\nurl = https://user:hunter2@git.example.com/vms.git\n",
			notes: "the credentials in the repository's URL are left out; Argo CD keeps its own, in a Secret for the repository",
		},
		"all errors in one run": {
			dir: "sites/A", config: "[core]\n", options: Options{Fleet: fleet.Options{Overlays: []string{"../outside.yaml"}}},
			files: map[string]string{
				"sites/A/fleet.yaml": strings.Replace(header, "site-a", "site_a", 1), "sites/A/vms.yaml": "vms: {a: {}}\n",
				"../outside.yaml": "vars: {}\n",
			},
			problem: `no remote "origin"; give its URL with --repo
../outside.yaml: not in the repository of the fleet`,
		},
		"VMs at the root": {
			dir: "sites/a", options: Options{AppSet: true}, files: map[string]string{"sites/a/vms.yaml": "vms: {a: {}}\n"},
			problem: "sites/a: holds VMs itself, so all of it is one Application",
		},
		"a directory alone": {
			dir: "sites/a", options: Options{AppSet: true},
			files:   map[string]string{"sites/a/prod/web/vms.yaml": "vms: {web01: {dependsOn: [db01]}}\n"},
			problem: "this is so for sites/a/prod/web alone",
		},
		"a step without VMs": {
			dir: "sites/a", options: Options{AppSet: true, Rolling: []string{"labs"}},
			problem: `--rolling "labs": no directory with VMs directly below sites/a; did you mean "lab"?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config == "" {
				c.config = gitConfig
			}
			clone(t, c.config, site())
			for name, text := range c.files {
				write(t, name, text)
			}
			p, _, err := Read(c.dir, c.options, inventory.Load)
			require.NoError(t, err)
			object, notes, err := p.Object()
			require.Equal(t, c.notes, strings.Join(notes, "\n"))
			if c.problem != "" {
				for line := range strings.SplitSeq(c.problem, "\n") {
					require.ErrorContains(t, err, line)
				}
				return
			}
			require.NoError(t, err)
			if c.options.AppSet {
				require.IsType(t, argocd.ApplicationSet{}, object)
			} else {
				require.IsType(t, argocd.Application{}, object)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	clone(t, gitConfig, site())
	for dir, want := range map[string]string{
		"-":                    "standard input has no place in a repository",
		"sites/a/lab/vms.yaml": "a file; an Application renders a directory",
	} {
		_, _, err := Read(dir, Options{}, inventory.Load)
		require.ErrorContains(t, err, want)
	}
}

// KubeVirt replaces an inference from a disk with a name and refuses to undo that, so
// Argo CD must not try.
func TestInferredIsIgnored(t *testing.T) {
	files := site()
	files["sites/a/prod/db/vms.yaml"] = "vms: {db01: {flavor: null, cpu: null, memory: null, " +
		"instancetype: {inferFrom: root}, preference: {inferFrom: root}}}\n"
	clone(t, gitConfig, files)
	for dir, want := range map[string]bool{"sites/a/prod/db": true, "sites/a/prod/web": false} {
		got := plan(t, dir, Options{Project: "vms"}).order([]string{dir}, new(findings))
		require.Equal(t, want, got.respectIgnored, dir)
		for _, field := range []string{"/spec/instancetype", "/spec/preference"} {
			require.Equal(t, want, slices.Contains(got.ignoreDifferences[0].JSONPointers, field), "%s %s", dir, field)
		}
	}
}
