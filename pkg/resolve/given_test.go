package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// TestDefaults shows that --default overrides the defaults of all files, and that every
// VM overrides it. Level is the origin of the value.
func TestDefaults(t *testing.T) {
	dir := fleettest.Dir(t, `-- sub/_defaults.yaml --
flavor: medium
labels: {from: directory, also: directory}
terminationGracePeriodSeconds: 60
-- sub/x.yaml --
defaults: {runStrategy: Manual, priorityClassName: high}
vms: {it: {labels: {from: vm}}, other: {}}
-- sub/y.yaml --
vms: {y: {}}
`)
	opts := fleet.Options{Defaults: []string{
		"runStrategy=Halted", "flavor=large", "terminationGracePeriodSeconds=null",
		"labels.from=given", "labels.also='1'", "lifecycle.type=cattle",
	}}
	rows, diags := explain.VM(dir, opts, "it", "")
	require.Empty(t, fleettest.Problems(diags, dir))
	got := map[string]string{}
	for _, r := range rows {
		got[r.Key] = r.Value + " " + strings.ReplaceAll(r.Level, dir+"/", "")
	}
	require.Equal(t, "Halted --default", got["runStrategy"])
	require.Equal(t, "1 --default", got["labels.also"])
	require.Equal(t, "vm VM", got["labels.from"])
	require.Equal(t, "high file sub/x.yaml", got["priorityClassName"])
	require.Equal(t, "8Gi --default, flavor large", got["memory.guest"])
	require.Equal(t, "cattle --default", got["lifecycle.type"])
	require.NotContains(t, got, "terminationGracePeriodSeconds")

	f, diags := inventory.Load(dir, opts)
	require.Empty(t, fleettest.Problems(diags, dir))
	require.Len(t, f.Machines, 3)
	for _, m := range f.Machines {
		require.Equal(t, "Halted", m.RunStrategy)
	}
}

func TestBadDefaults(t *testing.T) {
	const scalar = "expected a string, number, boolean or null, as a values file would hold it; " +
		"an overlay takes lists and maps"
	dir := fleettest.Dir(t, "-- x.yaml --\nvms: {a: {}, b: {}}\n-- y.yaml --\nvms: {c: {}}\n")
	for given, want := range map[string]string{
		"x":      `--default: invalid option "x"; expected key=value, with a dot between the keys of a path`,
		"a..b=1": `--default: invalid option "a..b"; expected key=value, with a dot between the keys of a path`,
		"runStrategy=": "--default: runStrategy: no value; " +
			`expected one, or "" for an empty string, or null to inherit nothing`,
		"nics=[pod]":        "--default: nics: " + scalar,
		"memory={guest: 1}": "--default: memory: " + scalar,
		"memory=a: b: c":    "--default: memory: " + scalar,
		"memroy=8Gi":        `--default: memroy: unknown key "memroy"; did you mean "memory"?`,
		"tpm=yes":           `--default: tpm: wrong type: got the string "yes", expected a boolean; write true`,
		"flavor=mediun":     `--default: flavor: unknown flavor "mediun"; did you mean "medium"?`,
		"os=rhel":           `--default: os: unknown operating system "rhel"`,
		"memory.guest=8G b": `--default: memory.guest: invalid quantity "8G b"; expected a quantity such as "16Gi"`,
		"cpu=0":             "--default: ",
	} {
		t.Run(given, func(t *testing.T) {
			_, problems := fleettest.Names(t, dir, dir, fleet.Options{Defaults: []string{given}})
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], want)
		})
	}
}

// Standard input has no fleet but also accepts defaults.
func TestDefaultsForStdin(t *testing.T) {
	f, diags := inventory.Load("-", fleet.Options{
		Stdin:    strings.NewReader("vms: {a: {os: fedora}}\n"),
		Defaults: []string{"namespace=ns", "flavor=small"},
	})
	require.Empty(t, diags.Sorted())
	require.Equal(t, "ns", f.Machines[0].Namespace)
}

// Every default from the command line applies to every VM, or is reported.
func FuzzDefaults(f *testing.F) {
	for _, given := range []string{
		"runStrategy=Halted", "flavor=large", "memory.guest=null", "labels.a='1'", "disks.data.size=1Gi",
		"cpu=&a 1", "nics=[pod]", "a..b=c", "tpm=yes", "os=|-\n  rhel9",
	} {
		f.Add(given)
	}
	const vms = "vms: {a: {os: linux, flavor: small, disks: {root: {source: {claim: c}}}, replicas: null}}\n"
	f.Fuzz(func(t *testing.T, given string) {
		fl, diags := inventory.Load("-", fleet.Options{
			Namespace: "ns", Defaults: []string{given}, Jobs: 1, Stdin: strings.NewReader(vms),
		})
		for _, d := range diags.Sorted() {
			require.NotEmpty(t, d.Message)
			require.NotEmpty(t, d.File, d.Message)
		}
		if !diags.HasErrors() {
			require.Len(t, fl.Machines, 1)
		}
	})
}
