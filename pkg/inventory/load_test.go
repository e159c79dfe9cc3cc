package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/rule"
)

func TestWaves(t *testing.T) {
	machines, problems := fleettest.Load(t, `
vms:
  app: {dependsOn: [db]}
  db: {wave: 3}
  alone: {}
  pool: {replicas: 2, dependsOn: [app]}
  last: {dependsOn: [pool, alone]}
`)
	require.Empty(t, problems)
	var got []string
	for _, m := range machines {
		got = append(got, fmt.Sprintf("%d %s", m.Wave, m.Name))
	}
	require.Equal(t, []string{"0 alone", "3 db", "4 app", "5 pool-0", "5 pool-1", "6 last"}, got)
}

func TestSelection(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
vms: {a: {}, pool: {replicas: 2}, pool-1x: {}}
-- y.yaml --
namespace: other
vms: {a: {}, b: {dependsOn: [a]}}
`)
	for vms, want := range map[string]string{
		"":                "ns/a ns/pool-0 ns/pool-1 ns/pool-1x other/a other/b",
		"a":               "ns/a other/a",
		"ns/a":            "ns/a",
		"other/a,b":       "other/a other/b",
		"pool":            "ns/pool-0 ns/pool-1",
		"pool-1":          "ns/pool-1",
		"ns/pool":         "ns/pool-0 ns/pool-1",
		"ns/pool-1x":      "ns/pool-1x",
		"none,a":          `unknown VM "none"`,
		"other/pool":      `unknown VM "other/pool"`,
		"ns/a,pool-2":     `unknown VM "pool-2"; did you mean "pool-0"?`,
		"nowhere/a,other": `unknown VM "nowhere/a"`,
	} {
		t.Run(vms, func(t *testing.T) {
			var opts fleet.Options
			if vms != "" {
				opts.VMs = strings.Split(vms, ",")
			}
			machines, problems := fleettest.Names(t, dir, dir, opts)
			if strings.HasPrefix(want, "unknown") {
				require.NotEmpty(t, problems)
				require.Contains(t, strings.Join(problems, "\n"), want)
				return
			}
			require.Empty(t, problems)
			require.ElementsMatch(t, strings.Fields(want), machines)
		})
	}
}

// TestOrder proves that VMs are sorted by wave, then namespace, then name.
func TestOrder(t *testing.T) {
	dir := fleettest.Dir(t,
		"-- x.yaml --\nvms: {z: {}, b: {dependsOn: [z]}, a: {wave: -1}, c: {namespace: aa, wave: 1}}\n")
	machines, problems := fleettest.Names(t, dir, dir, fleet.Options{})
	require.Empty(t, problems)
	require.Equal(t, []string{"ns/a", "ns/z", "aa/c", "ns/b"}, machines)
}

func TestEmptyFleets(t *testing.T) {
	for header, want := range map[string]string{
		"": "fleet.yaml: no VMs; if the fleet is meant to be empty, set " +
			"`allowEmpty: true` in fleet.yaml",
		"vms: {}\n":                                   "fleet.yaml:6:1: vms: no VMs",
		"vms: {a: {replicas: 0}}\n":                   "fleet.yaml: no VMs",
		"allowEmpty: true\n":                          "",
		"allowEmpty: true\nvms: {}\n":                 "",
		"allowEmpty: true\nvms: ~\n":                  "",
		"allowEmpty: true\nvms: {a: {replicas: 0}}\n": "",
	} {
		dir := fleettest.Unpack(t, txtar.Parse([]byte("-- fleet.yaml --\n"+fleettest.Header+header)))
		_, problems := fleettest.Names(t, dir, dir, fleet.Options{})
		if want == "" {
			require.Empty(t, problems, header)
			continue
		}
		require.Len(t, problems, 1, header)
		require.Contains(t, problems[0], want)
	}
}

// Each warning is reported once per fleet, unless the fleet sets the key that it names.
func TestHookWarnings(t *testing.T) {
	const vms = `vms:
  a: {lifecycle: cattle}
  b: {lifecycle: {type: cattle, strategy: replace}}
  c: {runStrategy: Halted}
  d: {runStrategy: Manual}
  e: {dependsOn: [c]}
`
	warnings := func(target, vms string) []string {
		dir := fleettest.Unpack(t, &txtar.Archive{Files: []txtar.File{
			{Name: "fleet.yaml", Data: []byte("apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" +
				"target: {" + target + "}\ndefaults: {namespace: ns, os: fedora, flavor: small}\n")},
			{Name: "vms.yaml", Data: []byte(vms)},
		}})
		_, diags := inventory.Load(dir, fleet.Options{})
		require.Equal(t, diags.HasErrors(), diags.HasRule(rule.DefaultImage), "the only error")
		var out []string
		for _, w := range fleettest.Problems(diags, dir) {
			place, path, _ := strings.Cut(strings.Replace(w, ": warning:", ":", 1), ": ")
			path, _, _ = strings.Cut(path, ":")
			out = append(out, place+" "+path)
		}
		return out
	}
	const old = `argocd: "3.2"`
	outOfSync, image := []string{"fleet.yaml:4:1 target.applyOutOfSyncOnly"}, []string{"fleet.yaml:4:1 target.image"}
	require.Equal(t, slices.Concat(outOfSync, image, []string{"vms.yaml:4:20 vms.c.runStrategy"}), warnings(old, vms))
	require.Empty(t, warnings(old+`, image: i, applyOutOfSyncOnly: true, healthChecks: true`, vms))
	require.Equal(t, outOfSync, warnings(`image: i`, vms), "the newest Argo CD does not wait for stopped VMs")

	// A stopped VM in the last wave blocks nothing if there are no hooks.
	stopped := "vms:\n  a: {runStrategy: Halted, dependsOn: [b]}\n  b: {}\n"
	require.Empty(t, warnings(old, stopped))
	halted := []string{"vms.yaml:2:20 vms.a.runStrategy"}
	require.Equal(t, halted, warnings(old, stopped+"  c: {dependsOn: [a]}\n"))
	require.Equal(t, halted, warnings(old, "vms: \n  a: {runStrategy: Halted, disks: {root: {expandTo: 90Gi}}}\n"))
	require.Equal(t, halted, warnings(old, stopped+"  c: {lifecycle: {ansible: {image: i, playbook: p}}}\n"))
	require.Equal(t, image, warnings(old, stopped+"  c: {lifecycle: {snapshotBefore: true}}\n"))
	require.Equal(t, image, warnings(old, "vms: \n  a: {runStrategy: Halted}\n  c: {lifecycle: cattle}\n"),
		"no sync waits for a rollout")
}
