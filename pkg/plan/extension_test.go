package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// The extension of Argo CD judges changes in JavaScript, by the rules of plans, but without evaluating most conditions.
// These tests run it with Node.js.

// runner is a program for Node.js that judges the cases on standard input.
const runner = `
const { verdictsOf, TABLES } = require(process.argv[1]);
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const name = (i) => TABLES.levels[i].name;
console.log(JSON.stringify(cases.map((c) => verdictsOf(c.items, c.application).map((v) =>
	({ id: v.namespace + '/' + v.name, low: name(v.low), high: name(v.high), text: JSON.stringify(v.causes) })))));
`

// reported is a change of objects as Argo CD reports it.
type reported struct {
	Items       []diffItem          `json:"items"`
	Application reportedApplication `json:"application"`

	name     string
	old, now []manifest.Object
	live     []manifest.Object // nil if the plan does not know the cluster
	cluster  cluster.Settings
}

// reportedApplication is what the extension reads of an Application for its verdicts.
type reportedApplication struct {
	Spec struct {
		SyncPolicy struct {
			SyncOptions []string `json:"syncOptions"`
		} `json:"syncPolicy"`
	} `json:"spec"`
	Status struct {
		Resources []resourceItem `json:"resources"`
	} `json:"status"`
}

// diffItem is an item of /api/v1/applications/NAME/managed-resources; states are JSON texts (argo-cd v3.2.11,
// pkg/apis/application/v1alpha1/types.go, ResourceDiff).
type diffItem struct {
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Live       string `json:"liveState"`
	Target     string `json:"targetState"`
	Normalized string `json:"normalizedLiveState"`
	Predicted  string `json:"predictedLiveState"`
}

// resourceItem is an entry of `status.resources` of an Application.
type resourceItem struct {
	Group           string `json:"group"`
	Kind            string `json:"kind"`
	Namespace       string `json:"namespace"`
	Name            string `json:"name"`
	Status          string `json:"status"`
	RequiresPruning bool   `json:"requiresPruning"`
}

// shownVerdict is a verdict of the extension.
type shownVerdict struct {
	ID, Text  string
	Low, High impact.Level
}

// fetched are the kinds whose objects the extension reads.
var fetched = []string{cluster.KindVM, cluster.KindDataVolume, cluster.KindClaim}

func newReported(name string, old, now []manifest.Object, settings cluster.Settings) *reported {
	s := &reported{name: name, old: old, now: now, cluster: settings, Items: []diffItem{}}
	all := map[manifest.ID][2]string{}
	for i, side := range [][]manifest.Object{old, now} {
		for _, o := range side {
			both := all[o.ID]
			both[i] = string(o.JSON)
			all[o.ID] = both
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(all), manifest.ID.Compare) {
		was, will := all[id][0], all[id][1]
		switch {
		case slices.Contains(fetched, cluster.KindOf(id)):
			s.Items = append(s.Items, diffItem{id.Kind, id.Namespace, id.Name, was, will, was, will})
		case was != will:
			out := &s.Application.Status.Resources
			*out = append(*out, resourceItem{id.Group(), id.Kind, id.Namespace, id.Name, "OutOfSync", will == ""})
		}
	}
	return s
}

// observe sets the status of the VMs in the cluster: they run or are stopped, and some wait for a restart. The plan knows
// the same objects.
func (s *reported) observe(t *testing.T, r *rand.Rand) {
	t.Helper()
	s.live = slices.Clone(s.old)
	for i, o := range s.live {
		if cluster.KindOf(o.ID) != cluster.KindVM {
			continue
		}
		status := object{"printableStatus": []string{"Running", "Stopped"}[r.IntN(2)]}
		if r.IntN(4) == 0 {
			status["conditions"] = []any{object{"type": "RestartRequired", "status": "True"}}
		}
		observed := func(text string) string {
			if text == "" {
				return ""
			}
			var vm object
			require.NoError(t, json.Unmarshal([]byte(text), &vm))
			vm["status"] = status
			out, err := json.Marshal(vm)
			require.NoError(t, err)
			return string(out)
		}
		s.live[i].JSON = []byte(observed(string(o.JSON)))
		item := &s.Items[slices.IndexFunc(s.Items, func(d diffItem) bool {
			return d.Kind == o.Kind && d.Namespace == o.Namespace && d.Name == o.Name
		})]
		item.Live, item.Normalized, item.Predicted = observed(item.Live), observed(item.Normalized), observed(item.Predicted)
	}
	s.name += ", with a status"
}

// node runs a program for Node.js with the extension as its argument, and returns its output.
func node(t *testing.T, program string, input []byte) []byte {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("the extension runs in Node.js, which is not installed")
	}
	script, err := filepath.Abs("../../plugin/kustomize/extension-vmrender.js")
	require.NoError(t, err)
	text, err := os.ReadFile(script) // so that go test runs again if it changes
	require.NoError(t, err)
	require.NotEmpty(t, text)
	cmd := exec.CommandContext(t.Context(), "node", "-e", program, script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}

// The extension evaluates conditions by their text, so each must be one of a rule.
func TestExtensionEvaluatesConditionsOfRules(t *testing.T) {
	var evaluated []string
	const list = `console.log(JSON.stringify(Object.keys(require(process.argv[1]).PREDICATES)))`
	require.NoError(t, json.Unmarshal(node(t, list, nil), &evaluated))
	require.Greater(t, len(evaluated), 20)
	parts := map[string]bool{}
	for _, r := range impact.Rules() {
		for part := range strings.SplitSeq(r.If.Text, ", ") {
			parts[part] = true
		}
	}
	for _, text := range evaluated {
		require.Contains(t, parts, text)
	}
}

// The command that the page shows plans what the Application renders.
func TestExtensionCommand(t *testing.T) {
	const synced = `, status: {operationState: {syncResult: {revision: abc, revisions: [one, two]}}}}`
	tests := []struct{ application, want string }{
		{`{spec: {source: {path: sites/a}}` + synced, "vmrender plan sites/a --from abc --live cluster"},
		{`{spec: {source: {path: .}}` + synced, "vmrender plan --from abc --live cluster"},
		{`{spec: {source: {path: "it's; here"}}` + synced, `vmrender plan 'it'\''s; here' --from abc --live cluster`},
		{`{spec: {source: {path: sites/a}}}`, ""},
		{`{spec: {sources: [{chart: x}, {path: b, plugin: {name: vmrender}}]}` + synced, "vmrender plan b --from two --live cluster"},
		{`{spec: {sources: [{path: b}]}, status: {operationState: {syncResult: {revision: abc}}}}`, ""},
		{`{spec: {source: {path: b, plugin: {env: [{name: VMRENDER_VARS, value: "{}"}]}}}` + synced, ""},
		{
			`{spec: {destination: {namespace: shop}, source: {path: sites/a, plugin: {parameters: [
			{name: overlay, array: [../stages/test.yaml, /sites/b.yaml]}, {name: vm, array: [web]},
			{name: vars, map: {tier: "gold $HOME"}}, {name: defaults, map: {memory.guest: 16Gi}}]}}}` + synced,
			"vmrender plan sites/a --from abc --namespace shop --overlay sites/stages/test.yaml --overlay sites/b.yaml " +
				"--default memory.guest=16Gi --set 'tier=gold $HOME' --live cluster",
		},
		{
			`{spec: {destination: {namespace: shop}, source: {plugin: {parameters: [{name: namespace, string: prod}, {name: layer, string: "-"}]}}}` + synced,
			"vmrender plan --from abc --namespace prod --live cluster",
		},
		{
			`{spec: {destination: {namespace: shop}, source: {plugin: {parameters: [{name: layer, string: vms}]}}}` + synced,
			"vmrender plan --from abc --layer vms --live cluster",
		},
	}
	all := make([]object, len(tests))
	for i, test := range tests {
		require.NoError(t, yaml.Unmarshal([]byte(test.application), &all[i]))
	}
	input, err := json.Marshal(all)
	require.NoError(t, err)
	const program = `const all = JSON.parse(require('fs').readFileSync(0, 'utf8'));
		console.log(JSON.stringify(all.map(require(process.argv[1]).planCommand)));`
	var shown []string
	require.NoError(t, json.Unmarshal(node(t, program, input), &shown))
	for i, test := range tests {
		require.Equal(t, test.want, shown[i], test.application)
	}
}

// ask returns the verdicts of the extension on each change.
func ask(t *testing.T, all []*reported) [][]shownVerdict {
	t.Helper()
	input, err := json.Marshal(all)
	require.NoError(t, err)
	text := node(t, runner, input)
	var out [][]shownVerdict
	require.NoError(t, json.Unmarshal(text, &out))
	require.Len(t, out, len(all))
	return out
}

// levels returns the levels that a plan has for the VMs of a change. What KubeVirt's webhooks refuse of a VM harms no
// VM: the extension leaves it to the sync.
func (s *reported) levels() map[string]impact.Level {
	out := map[string]impact.Level{}
	for _, v := range plan.New(s.old, s.now, plan.Options{Cluster: s.cluster, Live: s.live}).VMs {
		if v.ID.Kind != "VirtualMachine" {
			continue
		}
		worst := impact.None
		for _, c := range v.Causes {
			if c.Code != "refused" && c.Code != "never-starts" {
				worst = max(worst, c.Level)
			}
		}
		out[v.ID.Namespace+"/"+v.ID.Name] = worst
	}
	return out
}

// requireBounds fails if a level of a plan is not in the range that the extension shows. It returns the share of the
// VMs that change, in percent, for which the extension shows exactly one level.
func requireBounds(t *testing.T, all []*reported) int {
	t.Helper()
	changed, exact := 0, 0
	for i, shown := range ask(t, all) {
		levels := all[i].levels()
		for _, v := range shown {
			level, known := levels[v.ID]
			if !known {
				continue // the plan has the verdict at its successor
			}
			if level > v.High || level < v.Low {
				t.Errorf("%s: %s is %s in a plan, and %s to %s in the extension: %s", all[i].name, v.ID, level, v.Low, v.High, v.Text)
			}
			if v.High > impact.None {
				changed++
			}
			if v.High > impact.None && v.Low == v.High {
				exact++
			}
		}
	}
	require.NotZero(t, changed)
	return 100 * exact / changed
}

// clusters are the settings for which the bounds hold.
func clusters() []cluster.Settings {
	out := []cluster.Settings{openshift}
	for _, change := range []func(*cluster.Settings){plain, stage, immovable, evicting, evacuating, evictingOrNot, held, older} {
		c := openshift
		change(&c)
		out = append(out, c)
	}
	for _, version := range []string{"1.4", "1.5", "1.6", "1.7", "1.8"} {
		c := openshift
		c.KubeVirt = version
		out = append(out, c)
	}
	return out
}

// floorOfEdits and floorOfRandom are the shares of exact verdicts, in percent, below which the extension would help
// less than it does.
const (
	floorOfEdits  = 30
	floorOfRandom = 75
)

// The level of every change of the tests of plans, in every cluster, is in the range that the extension shows.
func TestExtensionOfEdits(t *testing.T) {
	var all []*reported
	for _, test := range edits {
		old, edited := load(t, test.base), load(t, test.base)
		test.edit(edited)
		settings := openshift
		if test.cluster != nil {
			test.cluster(&settings)
		}
		for _, c := range append(clusters(), settings) {
			all = append(all, newReported(test.name, encode(t, old), encode(t, edited), c))
		}
	}
	all = append(all, resyncs(t)...)
	exact := requireBounds(t, all)
	t.Logf("%d %% of the verdicts are exact", exact)
	require.GreaterOrEqual(t, exact, floorOfEdits)
}

// resyncs returns changes of one of two VMs with Force and Replace: the sync also recreates the other one, unless the
// Application has ApplyOutOfSyncOnly=true.
func resyncs(t *testing.T) []*reported {
	t.Helper()
	side := func(edit func([]object)) []manifest.Object {
		objects := append(load(t, "cattle"), load(t, "pet")...)
		for i := range 2 {
			in(i, set("Force=true,Replace=true", options))(objects)
		}
		edit(objects)
		return encode(t, objects)
	}
	var out []*reported
	for _, edit := range []func([]object){nothing, set("8Gi", memory), set("x", "metadata.labels.team"), set("2048Mi", memory)} {
		for _, only := range []bool{false, true} {
			settings := openshift
			settings.ApplyOutOfSyncOnly = only
			r := newReported(fmt.Sprint("resync ", only), side(nothing), side(edit), settings)
			if only {
				r.Application.Spec.SyncPolicy.SyncOptions = []string{"ApplyOutOfSyncOnly=true"}
			}
			out = append(out, r)
		}
	}
	return out
}

// A VM that a sync recreates without a change of its own is not shown as unchanged, and one that it leaves is.
func TestExtensionOfResyncs(t *testing.T) {
	all := resyncs(t)
	for i, want := range []impact.Level{impact.None, impact.None, impact.Recreate, impact.None} {
		shown := ask(t, all[i:i+1])[0]
		pet := slices.IndexFunc(shown, func(v shownVerdict) bool { return v.ID == "prod/db" })
		require.Equal(t, [2]impact.Level{impact.None, want}, [2]impact.Level{shown[pet].Low, shown[pet].High}, "%d: %s", i, shown[pet].Text)
	}
}

// Objects of other kinds that are out of sync act on a VM at most as the table of kinds says. A plan has the level live
// for kinds that no row of the table is about.
func TestExtensionOfOthers(t *testing.T) {
	tests := []struct {
		group, kind string
		pruned      bool
		want        impact.Level
	}{
		{group: "", kind: "Service", want: impact.None},
		{group: "example.com", kind: "Thing", want: impact.Live},
		{group: "example.com", kind: "Thing", pruned: true, want: impact.None},
		{group: "kubevirt.io", kind: "Thing", want: impact.Restart},
		{group: "new.kubevirt.io", kind: "Thing", want: impact.Restart},
		{group: "policy", kind: "PodDisruptionBudget", want: impact.Live},
		{group: "policy", kind: "PodDisruptionBudget", pruned: true, want: impact.Delete},
	}
	var all []*reported
	for _, test := range tests {
		same := encode(t, load(t, "cattle"))
		r := newReported("others", same, same, openshift)
		r.Application.Status.Resources = []resourceItem{{test.group, test.kind, "prod", "x", "OutOfSync", test.pruned}}
		all = append(all, r)
	}
	for i, shown := range ask(t, all) {
		test, shown := tests[i], shown[0]
		require.Equal(t, [2]impact.Level{impact.None, test.want}, [2]impact.Level{shown.Low, shown.High}, "%+v: %s", test, shown.Text)
	}
}

// The same is true for random changes of the objects that vmrender renders.
func TestExtensionOfRandomEdits(t *testing.T) {
	bases := goldens(t)
	var all []*reported
	settings := clusters()
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		name := slices.Sorted(maps.Keys(bases))[r.IntN(len(bases))]
		old, edited := decodeAll(t, bases[name]), decodeAll(t, bases[name])
		var told []string
		for range 1 + r.IntN(3) {
			told = append(told, mutate(r, &edited))
		}
		change := newReported(fmt.Sprint(seed, " ", name, ": ", strings.Join(told, "; ")),
			encode(t, old), encode(t, edited), settings[r.IntN(len(settings))])
		if seed%2 == 0 {
			change.observe(t, r)
		}
		all = append(all, change)
	}
	exact := requireBounds(t, all)
	t.Logf("%d %% of the verdicts are exact", exact)
	require.GreaterOrEqual(t, exact, floorOfRandom)
}

// goldens returns the golden outputs of package render, by file.
func goldens(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"../render/testdata/*.yaml", "testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.Contains(string(text), "kind: VirtualMachine\n") {
				out[file] = string(text)
			}
		}
	}
	require.Greater(t, len(out), 10)
	return out
}

func decodeAll(t *testing.T, text string) []object {
	t.Helper()
	var out []object
	for document := range strings.SplitSeq("\n"+text, "\n---") {
		var o object
		require.NoError(t, yaml.Unmarshal([]byte(document), &o))
		if len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// mutate makes a random change of objects: another value, or one field, entry or object more or less.
func mutate(r *rand.Rand, objects *[]object) string {
	if n := r.IntN(20); n == 0 && len(*objects) > 1 {
		i := r.IntN(len(*objects))
		gone := (*objects)[i]
		*objects = slices.Delete(*objects, i, i+1)
		return fmt.Sprint("without ", gone["kind"])
	}
	o := (*objects)[r.IntN(len(*objects))]
	part := []string{"spec", "spec", "spec", "metadata", "data", "stringData"}[r.IntN(6)]
	in, ok := o[part].(object)
	if !ok || part == "metadata" && r.IntN(2) == 0 {
		return "nothing"
	}
	return fmt.Sprint(o["kind"], ".", part, mutateIn(r, in))
}

// mutateIn changes something in a map, and returns what.
func mutateIn(r *rand.Rand, in object) string {
	keys := slices.Sorted(maps.Keys(in))
	if len(keys) == 0 {
		in["added"] = "x"
		return ".added"
	}
	key := keys[r.IntN(len(keys))]
	switch v := in[key].(type) {
	case object:
		if r.IntN(12) > 0 {
			return "." + key + mutateIn(r, v)
		}
	case []any:
		if r.IntN(12) > 0 && len(v) > 0 {
			return "." + key + mutateList(r, in, key, v)
		}
	}
	if key == "name" || key == "namespace" || r.IntN(4) == 0 && key != "metadata" && key != "template" {
		if key == "name" || key == "namespace" {
			return " nothing"
		}
		delete(in, key)
		return "." + key + " removed"
	}
	in[key] = another(r, in[key])
	return fmt.Sprint(".", key, " ", in[key])
}

func mutateList(r *rand.Rand, in object, key string, l []any) string {
	i := r.IntN(len(l))
	entry, isMap := l[i].(object)
	switch n := r.IntN(8); {
	case n == 0:
		in[key] = slices.Delete(slices.Clone(l), i, i+1)
		return fmt.Sprint("[", i, "] removed")
	case n == 1 && isMap:
		text, _ := json.Marshal(entry)
		var more object
		_ = json.Unmarshal(text, &more)
		more["name"] = "more"
		in[key] = append(slices.Clone(l), more)
		return " more"
	case n == 2:
		l = slices.Clone(l)
		slices.Reverse(l)
		in[key] = l
		return " reversed"
	case isMap:
		return fmt.Sprint("[", i, "]") + mutateIn(r, entry)
	}
	l[i] = another(r, l[i])
	return fmt.Sprint("[", i, "] ", l[i])
}

// another returns another value of the same type.
func another(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case float64:
		return max(v+float64(r.IntN(20)-5), 1)
	case string:
		choices := []string{v + "1", "64Gi", "1Gi", "Halted", "Manual", "Always", "Migration", "Force=true,Replace=true", "Prune=false", "other"}
		return choices[r.IntN(len(choices))]
	}
	return v
}
