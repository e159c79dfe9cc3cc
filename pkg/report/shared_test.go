package report_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

type keys = map[string]any

// sample is a random fleet: documents by file. JSON is also YAML.
type sample map[string]keys

func (s sample) clone(t testing.TB) sample {
	out := sample{}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// vms returns the entries of a file.
func (s sample) vms(file string) keys { return s[file]["vms"].(keys) }

// entry returns the entry of a VM, which may be a replica; nil if there is none. The namespace of a VM is its file.
func (s sample) entry(id manifest.ID) keys {
	all := s.vms(id.Namespace + "/vms.yaml")
	name, _, _ := strings.Cut(id.Name, "-")
	entry, _ := all[name].(keys)
	return entry
}

// newSample returns a fleet with VMs of the same names in two namespaces, which have the same specs, because they have
// no identities.
func newSample(r *rand.Rand) sample {
	s := sample{"fleet.yaml": {
		"apiVersion": "vmrender.io/v1alpha1", "kind": "Fleet", "metadata": keys{"name": "f"},
		"target":   keys{"image": "i", "liveMigratable": true},
		"identity": keys{"uuid": false, "serial": false},
		"policy":   keys{"approve": []string{"live", "staged", "restart", "recreate"}[r.IntN(4)]},
		"defaults": keys{"os": "fedora", "cpu": keys{"cores": 1}, "memory": "4Gi"},
	}}
	for _, dir := range []string{"a", "b"} {
		s[dir+"/_defaults.yaml"] = keys{"namespace": dir}
		vms := keys{}
		for i := range 2 + r.IntN(4) {
			vm := keys{}
			for range r.IntN(3) {
				edits[r.IntN(len(edits))](r, vm)
			}
			switch r.IntN(6) {
			case 0:
				vm["replicas"] = 2
			case 1:
				vm["lifecycle"] = keys{"type": "cattle", "removal": "denied"}
			}
			vms[fmt.Sprintf("vm%c", 'a'+i)] = vm
		}
		s[dir+"/vms.yaml"] = keys{"vms": vms}
	}
	return s
}

// edits change VM keys, of a VM or of a level that many inherit.
var edits = []func(*rand.Rand, keys){
	func(r *rand.Rand, k keys) { k["cpu"] = keys{"cores": 1 + r.IntN(3)} },
	func(r *rand.Rand, k keys) { k["memory"] = fmt.Sprintf("%dGi", 4+r.IntN(3)) },
	func(r *rand.Rand, k keys) { k["labels"] = keys{"team": fmt.Sprint("t", r.IntN(3))} },
	func(r *rand.Rand, k keys) { k["annotations"] = keys{"note": fmt.Sprint("n", r.IntN(3))} },
	func(r *rand.Rand, k keys) { k["machineType"] = fmt.Sprintf("pc-q35-rhel9.%d.0", 2+2*r.IntN(3)) },
	func(r *rand.Rand, k keys) { k["runStrategy"] = []string{"Always", "Halted"}[r.IntN(2)] },
	func(r *rand.Rand, k keys) { k["disks"] = keys{"data": keys{"size": "10Gi", "revision": 1 + r.IntN(3)}} },
}

// edit changes a fleet in one place: for all VMs, a directory, a VM, or which VMs there are.
func (s sample) edit(r *rand.Rand) {
	dir := []string{"a", "b"}[r.IntN(2)]
	vms := s.vms(dir + "/vms.yaml")
	names := slices.Sorted(maps.Keys(vms))
	change := edits[r.IntN(len(edits))]
	switch r.IntN(8) {
	case 0, 1:
		change(r, s["fleet.yaml"]["defaults"].(keys))
	case 2, 3:
		change(r, s[dir+"/_defaults.yaml"])
	case 4:
		vms["new"] = keys{}
	case 5:
		if len(names) > 1 {
			delete(vms, names[0])
		}
	default:
		change(r, vms[names[r.IntN(len(names))]].(keys))
	}
}

// rendered writes a fleet to a directory, and returns what it renders to, with its warnings.
func rendered(t testing.TB, dir string, s sample) ([]manifest.Object, []source.Diagnostic) {
	t.Helper()
	for name, doc := range s {
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	all := c.Rendered(diags)
	require.False(t, diags.HasErrors(), diags.Sorted())
	return render.Objects(all...), diags.Sorted()
}

// planOf returns the plan between two fleets, with the places of the new one.
func planOf(dir string, old, now []manifest.Object) report.Plan {
	p := plan.New(old, now, plan.Options{})
	var vms []string
	for i := range p.VMs {
		vms = append(vms, p.VMs[i].ID.Namespace+"/"+p.VMs[i].ID.Name)
	}
	places := fleet.ReadPlaces(dir, fleet.Options{}, vms)
	return report.Plan{Plan: p, Place: func(id manifest.ID, key string) source.Pos {
		return places.Of(id.Namespace+"/"+id.Name, key)
	}}
}

// approvals returns the approvals of each VM.
func approvals(t testing.TB, objects []manifest.Object) map[manifest.ID]string {
	t.Helper()
	out := map[manifest.ID]string{}
	for _, o := range objects {
		var meta struct {
			Metadata struct{ Annotations map[string]string }
		}
		require.NoError(t, json.Unmarshal(o.JSON, &meta))
		if text := meta.Metadata.Annotations[labels.Approved]; text != "" {
			out[o.ID] = text
		}
	}
	return out
}

// TestSharedIsSingle checks, over random fleets and changes, that tokens for several VMs render what approvals in the
// entries of these VMs render, and after a further change nothing that those would not.
func TestSharedIsSingle(t *testing.T) {
	tokens, void := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // reproducible
		old := newSample(r)
		now := old.clone(t)
		for range 1 + r.IntN(3) {
			now.edit(r)
		}
		before, _ := rendered(t, t.TempDir(), old)
		dir := t.TempDir()
		after, _ := rendered(t, dir, now)
		all := planOf(dir, before, after).Shared()
		if len(all) == 0 {
			continue
		}
		tokens += len(all)
		shared, single := now.clone(t), now.clone(t)
		var list []any
		for _, s := range all {
			list = append(list, s.String())
			for _, v := range s.VMs {
				approve := keys{}
				for _, a := range v.Gate.Approvals {
					approve[string(a.Risk)] = a.Token
				}
				single.entry(v.ID)["approve"] = approve
			}
		}
		shared["fleet.yaml"]["policy"].(keys)["approved"] = list
		want, _ := rendered(t, t.TempDir(), single)
		got, warnings := rendered(t, t.TempDir(), shared)
		require.Equal(t, want, got, "seed %d", seed)
		require.Empty(t, warnings)
		p := planOf(dir, before, got)
		for _, s := range all {
			for _, v := range s.VMs {
				for i := range p.VMs {
					require.False(t, p.VMs[i].ID == v.ID && p.VMs[i].Gate.Blocked(), "seed %d: %s", seed, v.ID)
				}
			}
		}
		require.Empty(t, p.Shared())
		allowed := approvals(t, want)
		for range 2 {
			shared.edit(r)
			further, warnings := rendered(t, t.TempDir(), shared)
			given := approvals(t, further)
			for id, text := range given {
				require.Equal(t, allowed[id], text, "seed %d: %s", seed, id)
			}
			stale := 0
			for _, w := range warnings {
				stale += strings.Count(w.String(), "so that it approves none")
			}
			for _, s := range all { // all of them or none
				n := 0
				for _, v := range s.VMs {
					if given[v.ID] != "" {
						n++
					}
				}
				require.Contains(t, []int{0, len(s.VMs)}, n, "seed %d", seed)
				if n == 0 {
					void++
					stale--
				}
			}
			require.Zero(t, stale, "seed %d", seed)
		}
	}
	require.Greater(t, tokens, 50)
	require.Greater(t, void, 20)
}

// threeVMs renders a fleet of three VMs.
func threeVMs(t *testing.T, cores int, approved, more string) []manifest.Object {
	t.Helper()
	policy := keys{"approve": "restart"}
	if approved != "" {
		policy["approved"] = []any{approved}
	}
	other := keys{}
	if more != "" {
		other["machineType"] = more
	}
	objects, _ := rendered(t, t.TempDir(), sample{"fleet.yaml": {
		"apiVersion": "vmrender.io/v1alpha1", "kind": "Fleet", "metadata": keys{"name": "f"}, "policy": policy,
		"defaults": keys{"namespace": "ns", "os": "fedora", "memory": "4Gi", "cpu": keys{"cores": cores}},
		"vms":      keys{"a": keys{}, "b": other, "c": keys{}},
	}})
	return slices.DeleteFunc(objects, func(o manifest.Object) bool { return o.Kind != "VirtualMachine" })
}

// TestSharedInTheCluster writes changes with and without a token for several VMs to a file with which the gate's policy
// is tested in test/impact/gate.
func TestSharedInTheCluster(t *testing.T) {
	old := threeVMs(t, 1, "", "")
	all := report.Plan{Plan: plan.New(old, threeVMs(t, 2, "", ""), plan.Options{})}.Shared()
	require.Len(t, all, 1)
	require.Len(t, all[0].VMs, 3)
	token := all[0].String()
	type change struct {
		Name, VM string
		Passes   bool
		Was, Now json.RawMessage
	}
	var out []change
	for _, test := range []struct {
		name     string
		was, now []manifest.Object
		passes   bool
	}{
		{"without it", old, threeVMs(t, 2, "", ""), false},
		{"with it", old, threeVMs(t, 2, token, ""), true},
		{"a further change of one", old, threeVMs(t, 2, token, "pc-q35-rhel9.6.0"), false},
		{"from another state", threeVMs(t, 3, "", ""), threeVMs(t, 2, token, ""), false},
		{"to another state", threeVMs(t, 2, token, ""), threeVMs(t, 3, token, ""), false},
	} {
		for i, o := range test.now {
			require.Equal(t, o.ID, test.was[i].ID)
			out = append(out, change{test.name, o.Name, test.passes, test.was[i].JSON, o.JSON})
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	require.NoError(t, err)
	golden.Equal(t, "../../test/impact/gate/testdata/shared.json", string(text)+"\n")
}
