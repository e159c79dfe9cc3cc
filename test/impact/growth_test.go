package impact_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/test/impact/judge"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
)

// rendered returns the VM of a fleet with one entry, or nil if the entry is not valid.
func rendered(t testing.TB, entry string) edits.Object {
	t.Helper()
	dir := t.TempDir()
	text := `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: judged}
target: {kubevirt: "1.8.4", openshift: false, liveMigratable: true, featureGates: {DeclarativeHotplugVolumes: true}}
catalog:
  networks: {lan: {nad: lab/lan}}
defaults: {namespace: lab, disks: {root: {size: 90Gi, source: blank}}}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte("vms:\n  vm: "+entry+"\n"), 0o600))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	all := c.Rendered(diags)
	if diags.HasErrors() {
		return nil
	}
	for _, o := range render.Objects(all...) {
		if o.Kind == "VirtualMachine" {
			var vm edits.Object
			require.NoError(t, json.Unmarshal(o.JSON, &vm))
			return vm
		}
	}
	return nil
}

// judgedLive returns what KubeVirt does to a running VM.
func judgedLive(t testing.TB, old, changed edits.Object) *judge.Verdict {
	t.Helper()
	cluster := 0
	for configs[cluster].Name != "hotplug" {
		cluster++
	}
	var v *judge.Verdict
	require.NoError(t, judges.Ask(cluster, func(j *judge.Judge) (err error) {
		v, err = j.Edit(old, changed, true)
		return err
	}))
	return v
}

// series returns the sizes of each series, smallest first. Sizes without a series are one, too.
func series() map[string][]catalog.FlavorRow {
	out := map[string][]catalog.FlavorRow{}
	for _, f := range catalog.New(nil, new(source.Diagnostics)).ListFlavors() {
		name, _, dotted := strings.Cut(f.Name, ".")
		if !dotted {
			name = ""
		}
		if f.Hugepages == "1Gi" {
			name += " 1Gi"
		}
		out[name] = append(out[name], f)
	}
	for _, all := range out {
		slices.SortFunc(all, func(a, b catalog.FlavorRow) int {
			memory, other := resource.MustParse(a.Memory), resource.MustParse(b.Memory)
			return cmp.Or(memory.Cmp(other), cmp.Compare(a.CPU, b.CPU))
		})
	}
	return out
}

// unable are the reasons why VMs of some sizes or operating systems cannot grow while they run.
var unable = []struct {
	why   string
	holds func(os, from string) bool
}{
	{"memory of a VM with the host's NUMA topology cannot be plugged", func(_, from string) bool {
		return strings.HasPrefix(from, "cx1.") || strings.HasPrefix(from, "rt1.")
	}},
	{"memory can be plugged from 1Gi on", func(_, from string) bool { return strings.HasSuffix(from, ".nano") }},
	{"Windows clients have two sockets at most, and cores cannot be plugged", func(os, _ string) bool {
		return os == "windows10" || os == "windows11"
	}},
}

// mostRestarts is the number of steps between sizes that need a restart. It may only fall.
const mostRestarts = 538

// Every operating system grows from each size of a series to the next while it runs, unless a listed reason prevents it.
func TestGrowth(t *testing.T) {
	if *only != "" {
		t.Skip("only some edits are asked for")
	}
	restarts, used := 0, map[string]bool{}
	known := map[string]*judge.Verdict{}
	for _, s := range steps(t) {
		key := content(t, s.old) + content(t, s.changed)
		if known[key] == nil {
			known[key] = judgedLive(t, s.old, s.changed)
		}
		if isLive(known[key]) {
			continue
		}
		restarts++
		why := ""
		for _, reason := range unable {
			if reason.holds(s.os, s.from) {
				why = reason.why
			}
		}
		used[why] = true
		if why == "" {
			t.Errorf("%s: %s to %s: KubeVirt does: %s", s.os, s.from, s.to, known[key])
		}
	}
	require.LessOrEqual(t, restarts, mostRestarts)
	require.Len(t, used, len(unable), "a reason that is listed holds for no step")
}

// isLive reports whether a VM keeps running with a change, and has it.
func isLive(v *judge.Verdict) bool {
	return slices.Contains([]judge.Level{judge.None, judge.Metadata, judge.Live, judge.Migrate}, v.Level())
}

// step is a VM that grows.
type step struct {
	os, from, to string
	old, changed edits.Object
}

// steps returns all steps from a size of a series to the next, for each operating system that they are enough for.
func steps(t *testing.T) []step {
	t.Helper()
	var out []step
	for _, of := range series() {
		for _, os := range catalog.New(nil, new(source.Diagnostics)).ListOS() {
			for i := range len(of) - 1 {
				s := step{os: os.Name, from: of[i].Name, to: of[i+1].Name}
				s.old = rendered(t, fmt.Sprintf("{os: %s, flavor: %s}", s.os, s.from))
				s.changed = rendered(t, fmt.Sprintf("{os: %s, flavor: %s}", s.os, s.to))
				if s.old != nil && s.changed != nil {
					out = append(out, s)
				}
			}
		}
	}
	require.Greater(t, len(out), 500)
	return out
}

// content returns a VM as text without its labels and annotations.
func content(t testing.TB, vm edits.Object) string {
	t.Helper()
	text, err := json.Marshal(vm["spec"].(edits.Object)["template"].(edits.Object)["spec"])
	require.NoError(t, err)
	return string(text)
}

// dayTwo are changes that owners make to a running VM, and the most that each may do.
var dayTwo = []struct {
	old, changed string
	most         judge.Level
}{
	{"os: rhel9, cpu: 2, memory: 4Gi", "os: rhel9, cpu: 3, memory: 4Gi", judge.Migrate},
	{"os: rhel9, cpu: 2, memory: 4Gi", "os: rhel9, cpu: 2, memory: 6Gi", judge.Migrate},
	{"os: rhel9, flavor: small", "os: rhel9, flavor: medium", judge.Migrate},
	{"os: rhel9, flavor: medium", "os: rhel9, flavor: large", judge.Migrate},
	{"os: rhel9, flavor: medium", "os: rhel9, flavor: medium, disks: {logs: {size: 20Gi, hotpluggable: true}}", judge.Live},
	{
		"os: rhel9, flavor: medium, hotpluggable: true, disks: {data: 5Gi}",
		"os: rhel9, flavor: medium, hotpluggable: true, disks: {data: 5Gi, logs: 20Gi}", judge.Live,
	},
	{
		"os: rhel9, flavor: medium, disks: {data: 5Gi}",
		"os: rhel9, flavor: medium, hotpluggable: true, disks: {data: 5Gi}", judge.Staged,
	},
	{"os: rhel9, flavor: medium", "os: rhel9, flavor: medium, nics: [pod, lan]", judge.Migrate},
	{
		`os: rhel9, flavor: medium, nics: [pod, {network: lan, name: a, ip: 192.0.2.7/24}]`,
		`os: rhel9, flavor: medium, nics: [pod, {network: lan, name: a, ip: 192.0.2.7/24}, {network: lan, name: b, ip: 198.51.100.7/24}]`, judge.Migrate,
	},
	{`os: rhel9, flavor: medium, cloudInit: {packages: [chrony]}`, `os: rhel9, flavor: medium, cloudInit: {packages: [chrony, vim]}`, judge.Metadata},
	{"os: rhel9, flavor: medium", "os: rhel9, flavor: medium, nodeSelector: {zone: b}", judge.Live},
}

// The changes that owners make to a running VM do no more than what KubeVirt offers at best.
func TestDayTwo(t *testing.T) {
	for _, c := range dayTwo {
		t.Run(c.changed, func(t *testing.T) {
			v := judgedLive(t, rendered(t, "{"+c.old+"}"), rendered(t, "{"+c.changed+"}"))
			order := []judge.Level{judge.None, judge.Metadata, judge.Live, judge.Migrate}
			at := slices.Index(order, v.Level())
			mild := at >= 0 && at <= slices.Index(order, c.most)
			require.True(t, mild || v.Level() == c.most, "KubeVirt does: %s", v)
		})
	}
}
