package hold_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// side is a fleet that is rendered.
type side struct {
	*inventory.Fleet
	objects []manifest.Object
	byVM    map[string][]manifest.Object // by NAMESPACE/NAME
}

// load renders the fleet in a directory, or returns nil if it is not valid.
func load(dir string, unheld bool) (*side, *source.Diagnostics) {
	c := render.NewCollector()
	s := &side{byVM: map[string][]manifest.Object{}}
	f, diags := inventory.Visit(dir, fleet.Options{Namespace: "lab", Unheld: unheld, Jobs: 1}, c.Visit)
	rendered := c.Rendered(diags)
	if diags.HasErrors() {
		return nil, diags
	}
	s.Fleet, s.objects = f, render.Objects(rendered...)
	for _, r := range rendered {
		if !r.Jobs {
			s.byVM[r.Namespace+"/"+r.Name] = render.Objects(r)
		}
	}
	return s, diags
}

func planned(from, to *side, level impact.Level) *plan.Plan {
	return plan.New(from.objects, to.objects, plan.Options{Hold: level, Types: catalog.Installed})
}

// copied returns an independent copy of a fleet.
func copied(t *testing.T, f fleetgen.Fleet) fleetgen.Fleet {
	t.Helper()
	out := fleetgen.Fleet{Files: map[string][]any{}, Flow: f.Flow}
	for name, docs := range f.Files {
		text, err := json.Marshal(docs)
		require.NoError(t, err)
		var read []any
		require.NoError(t, json.Unmarshal(text, &read))
		out.Files[name] = read
	}
	return out
}

// entries calls a function with the entries of all VMs.
func entries(f fleetgen.Fleet, with func(vms map[string]any, name string, entry map[string]any)) {
	for _, file := range slices.Sorted(maps.Keys(f.Files)) {
		for _, doc := range f.Files[file] {
			document, _ := doc.(map[string]any)
			vms, _ := document["vms"].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(vms)) {
				if entry, ok := vms[name].(map[string]any); ok {
					with(vms, name, entry)
				}
			}
		}
	}
}

// edits are changes of an entry, of all levels.
var edits = []func(map[string]any){
	func(e map[string]any) { e["cpu"] = map[string]any{"cores": 3} },
	func(e map[string]any) { e["memory"] = "6Gi" },
	func(e map[string]any) { e["labels"] = map[string]any{"team": "x"} },
	func(e map[string]any) { e["annotations"] = map[string]any{"note": "x"} },
	func(e map[string]any) { e["runStrategy"] = "Halted" },
	func(e map[string]any) { e["disks"] = map[string]any{"more": "3Gi"} },
	func(e map[string]any) { e["nodeSelector"] = map[string]any{"zone": "b"} },
	func(e map[string]any) { e["terminationGracePeriodSeconds"] = 77 },
	func(e map[string]any) { e["cloudInit"] = map[string]any{"packages": []any{"tuned"}} },
	func(e map[string]any) { e["services"] = map[string]any{"ssh": map[string]any{"port": 22}} },
}

// changed returns a fleet with some changes.
func changed(t *testing.T, f fleetgen.Fleet, random *rand.Rand) fleetgen.Fleet {
	t.Helper()
	out := copied(t, f)
	entries(out, func(vms map[string]any, name string, entry map[string]any) {
		for range random.IntN(3) {
			edits[random.IntN(len(edits))](entry)
		}
		switch random.IntN(12) {
		case 0:
			delete(vms, name)
		case 1:
			vms["new-"+name] = map[string]any{"os": "fedora"}
		}
	})
	return out
}

// withHold sets the level of a fleet.
func withHold(f fleetgen.Fleet, level string) {
	header, _ := f.Files["fleet.yaml"][0].(map[string]any)
	policy, _ := header["policy"].(map[string]any)
	if policy == nil {
		policy = map[string]any{}
	}
	delete(policy, "approved")
	policy["hold"] = level
	header["policy"] = policy
}

// A held commit leaves exactly what is to be held as it was, and changes the rest exactly as the files have it.
// Approvals release exactly the commit, and a revert leaves nothing.
func TestHoldIsExact(t *testing.T) {
	checked, kept := 0, 0
	for seed := uint64(1); seed <= 200; seed++ {
		random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
		base := copied(t, fleetgen.New(seed))
		level := []string{"live", "restart", "restart", "recreate"}[random.IntN(4)]
		withHold(base, level)
		ok := t.Run(fmt.Sprint("seed-", seed), func(t *testing.T) {
			n, valid := check(t, base, changed(t, base, random), level)
			if valid {
				checked++
			}
			kept += n
		})
		if !ok {
			t.FailNow()
		}
	}
	t.Logf("%d pairs, %d VMs held", checked, kept)
	require.Greater(t, checked, 30, "pairs of fleets")
	require.Greater(t, kept, 50, "held VMs")
}

func check(t *testing.T, a, b fleetgen.Fleet, level string) (kept int, valid bool) {
	t.Helper()
	dirA, dirB := t.TempDir(), t.TempDir()
	require.NoError(t, a.Write(dirA))
	require.NoError(t, b.Write(dirB))
	was, _ := load(dirA, false)
	now, _ := load(dirB, true)
	if was == nil || now == nil {
		return 0, false
	}
	from := hold.Stricter(level, level)
	in := hold.Input{Old: was.byVM, New: now.byVM}
	in.Released = planned(was, now, from)
	in.Planned = in.Released
	vms := hold.Judge(&in)
	_, err := hold.Write(now.HeldDir(), &in, vms, true)
	require.NoError(t, err)

	after, diags := load(dirB, false)
	require.NotNil(t, after, diags.Sorted())
	holds := requireExact(t, was, now, after, vms)
	requireMild(t, planned(was, after, from), vms)
	requireJudged(t, &in, after, planned(was, after, from))
	requireIdempotent(t, after, &in, vms)
	if len(holds) > 0 {
		requireReleased(t, b, dirB, now, vms)
	}
	requireReverted(t, after, dirA, now.HeldDir(), from)
	return len(holds), true
}

// requireExact requires that VMs are what they were, if they are held, and else what they become.
func requireExact(t *testing.T, was, now, after *side, vms []hold.VM) map[string]bool {
	t.Helper()
	holds := map[string]bool{}
	for _, v := range vms {
		if v.State == hold.Held || v.State == hold.Open {
			holds[v.ID.Namespace+"/"+v.ID.Name] = true
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(now.byVM)), slices.Collect(maps.Keys(after.byVM)))
	for name, got := range after.byVM {
		if !holds[name] {
			require.Equal(t, texts(now.byVM[name], all), texts(got, all), name)
			continue
		}
		require.Equal(t, texts(was.byVM[name], held.Holds), texts(got, held.Holds), name)
		free := func(group, kind string) bool { return !held.Holds(group, kind) }
		require.Equal(t, texts(now.byVM[name], free), texts(got, free), name)
	}
	return holds
}

func all(string, string) bool { return true }

// texts returns the objects of some kinds, without the annotation of held VMs.
func texts(objects []manifest.Object, of func(group, kind string) bool) []string {
	out := []string{}
	for _, o := range objects {
		if of(o.Group(), o.Kind) {
			out = append(out, without(string(o.JSON), labels.Held))
		}
	}
	return out
}

// without returns a manifest without an annotation, which is not the last one.
func without(text, key string) string {
	before, rest, found := strings.Cut(text, `"`+key+`":"`)
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, `",`)
	return before + after
}

// requireMild requires that a plan has no effect that is to be held, except what cannot be.
func requireMild(t *testing.T, p *plan.Plan, vms []hold.VM) {
	t.Helper()
	for i := range p.VMs {
		v := &p.VMs[i]
		impossible := slices.ContainsFunc(vms, func(h hold.VM) bool { return h.ID == v.ID && h.State == hold.Impossible })
		require.True(t, impossible || !v.Hold.Blocked(), "%s: %s: %v", v.ID, v.Level, v.Causes)
	}
}

// requireJudged requires that a plan finds nothing wrong with what is held.
func requireJudged(t *testing.T, released *hold.Input, after *side, p *plan.Plan) {
	t.Helper()
	in := *released
	in.Planned, in.Annotations, in.Files = p, hold.Annotations(after.objects), after.HeldFiles()
	for _, v := range hold.Judge(&in) {
		require.True(t, v.State == hold.Held || v.State == hold.Impossible, "%s: %v %s", v.ID, v.State, v.Problem)
	}
}

// requireIdempotent requires that a second run, also from the commit itself, changes no file.
func requireIdempotent(t *testing.T, after *side, in *hold.Input, vms []hold.VM) {
	t.Helper()
	again, err := hold.Write(after.HeldDir(), in, vms, true)
	require.NoError(t, err)
	require.Zero(t, again.Written+len(again.Removed))
}

// isReplica reports whether a VM has the name of one of the replicas of an entry.
func isReplica(vm, entry string) bool { return strings.TrimRight(vm, "0123456789") == entry+"-" }

// requireReleased requires that approvals of all changes render exactly the commit.
func requireReleased(t *testing.T, b fleetgen.Fleet, dir string, now *side, vms []hold.VM) {
	t.Helper()
	lines := map[string]map[string]any{}
	for _, v := range vms {
		if len(v.Approvals) == 0 || v.State == hold.Impossible {
			continue
		}
		approve := map[string]any{}
		for _, a := range v.Approvals {
			approve[a.Risk] = a.Token
		}
		lines[v.ID.Name] = approve
	}
	entries(b, func(_ map[string]any, name string, entry map[string]any) {
		for vm, approve := range lines {
			if vm == name || isReplica(vm, name) {
				entry["approve"] = approve
			}
		}
	})
	require.NoError(t, b.Write(dir))
	approved, diags := load(dir, false)
	require.NotNil(t, approved, diags.Sorted())
	for name, want := range now.byVM {
		for i, o := range approved.byVM[name] {
			require.NotContains(t, string(o.JSON), `"`+labels.Held+`"`, "%s: %v", name, diags.Sorted())
			require.Equal(t, without(string(want[i].JSON), labels.Approved), without(string(o.JSON), labels.Approved), name)
		}
	}
}

// requireReverted requires that a commit that takes everything back leaves no file.
func requireReverted(t *testing.T, after *side, dir, files string, level impact.Level) {
	t.Helper()
	back, diags := load(dir, true)
	require.NotNil(t, back, diags.Sorted())
	in := hold.Input{Old: after.byVM, New: back.byVM}
	in.Released = planned(after, back, level)
	in.Planned = in.Released
	vms := slices.DeleteFunc(hold.Judge(&in), func(v hold.VM) bool {
		return after.HeldFile(v.ID.Namespace, v.ID.Name) == nil
	})
	require.Empty(t, vms)
	_, err := hold.Write(files, &in, nil, true)
	require.NoError(t, err)
	left, err := os.ReadDir(files)
	if err == nil {
		require.Empty(t, left)
	}
}
