package values_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

func parse(t *testing.T, text string) *source.Node {
	t.Helper()
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: "f", Data: []byte(text)}, &diags)
	require.Empty(t, diags.Sorted())
	return docs[0]
}

// decoded merges levels of VM keys, the lowest first, as a fleet does.
func decoded(t *testing.T, levels ...string) values.VM {
	t.Helper()
	var merged *source.Node
	for _, level := range levels {
		merged = source.Compose(merged, values.Long(parse(t, level)))
	}
	var vm values.VM
	var diags source.Diagnostics
	source.Decode(merged, &vm, "", &diags)
	require.Empty(t, diags.Sorted())
	return vm
}

// TestForms shows the meaning of short forms, and that they merge with long ones.
func TestForms(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name   string
		levels []string
		want   values.VM
	}{
		{"vcpus", []string{"cpu: 4"}, values.VM{CPU: &values.CPU{VCPUs: 4}}},
		{
			"vcpus replace a topology",
			[]string{"cpu: {sockets: 2, model: host}", "cpu: 4"},
			values.VM{CPU: &values.CPU{VCPUs: 4, Model: "host"}},
		},
		{"a topology replaces vcpus", []string{"cpu: 4", "cpu: {cores: 2}"}, values.VM{CPU: &values.CPU{Cores: 2}}},
		{
			"other keys keep vcpus",
			[]string{"cpu: 4", "cpu: {model: host}"},
			values.VM{CPU: &values.CPU{VCPUs: 4, Model: "host"}},
		},
		{
			"memory",
			[]string{"memory: {max: 8Gi}", "memory: 4Gi"},
			values.VM{Memory: &values.Memory{Guest: "4Gi", Max: "8Gi"}},
		},
		{
			"a name replaces the kind",
			[]string{"preference: {name: a, kind: VirtualMachinePreference}", "preference: b"},
			values.VM{Preference: &values.Matcher{Name: "b"}},
		},
		{
			"disk",
			[]string{"disks: {a: 1Gi, b: {source: blank}}"},
			values.VM{Disks: map[string]*values.Disk{"a": {Size: "1Gi"}, "b": {Source: &values.Source{Blank: true}}}},
		},
		{"tpm", []string{"tpm: true"}, values.VM{TPM: &values.TPM{Enabled: &yes}}},
		{
			"tpm off",
			[]string{"tpm: {persistent: true}", "tpm: false"},
			values.VM{TPM: &values.TPM{Persistent: &yes, Enabled: &no}},
		},
		{"firmware", []string{"firmware: efi"}, values.VM{Firmware: &values.Firmware{Type: "efi"}}},
		{"lifecycle", []string{"lifecycle: cattle"}, values.VM{Lifecycle: &values.Lifecycle{Type: "cattle"}}},
		{"service", []string{"services: {web: 80}"}, values.VM{Services: map[string]*values.Service{"web": {Port: 80}}}},
		{
			"items",
			[]string{"{nics: [pod, {network: lan}], gpus: [vendor/x]}"},
			values.VM{NICs: []values.NIC{{Network: "pod"}, {Network: "lan"}}, GPUs: []values.Device{{Device: "vendor/x"}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, decoded(t, c.levels...))
		})
	}
}

// TestLongIsIdempotent shows that long forms stay unchanged.
func TestLongIsIdempotent(t *testing.T) {
	once := values.Long(parse(t, "{cpu: 4, memory: 1Gi, tpm: true, disks: {a: 1Gi}, lifecycle: pet}"))
	require.Same(t, once.Get("cpu"), values.Long(once).Get("cpu"))
	require.Equal(t, once, values.Long(once))
}

// TestFormsAreOfFields shows that every short form is the value of a field of its type.
func TestFormsAreOfFields(t *testing.T) {
	for of, form := range values.Forms {
		found := false
		for field := range of.Fields() {
			short := field.Tag.Get("source") == "short"
			found = found || form.Key != "" && values.Key(field) == form.Key || form.Key == "" && short
		}
		require.True(t, found, of)
		for _, key := range form.Clears {
			field, ok := of.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, key) })
			require.True(t, ok, "%s: %s", of, key)
			require.Equal(t, key, values.Key(field))
		}
	}
}

// TestFlavor shows that a flavor replaces only the settings of another flavor.
func TestFlavor(t *testing.T) {
	at := parse(t, "small")
	small := values.OfFlavor(parse(t, "{cpu: 1, memory: 2Gi}"), at)
	pinned := values.OfFlavor(parse(t, "{cpu: {cores: 2, dedicated: true}, memory: {guest: 4Gi, hugepages: 2Mi}}"), at)
	var vm values.VM
	var diags source.Diagnostics
	source.Decode(source.Compose(source.Compose(parse(t, "cpu: {model: host}"), pinned), small), &vm, "", &diags)
	require.Empty(t, diags.Sorted())
	require.Equal(t, values.VM{CPU: &values.CPU{VCPUs: 1, Model: "host"}, Memory: &values.Memory{Guest: "2Gi"}}, vm)
	require.Equal(t, at.Pos(), pinned.Get("cpu", "cores").Pos())
}

// TestStrategies shows that the strategies that users can write are exactly those that
// have traits.
func TestStrategies(t *testing.T) {
	field, _ := reflect.TypeFor[values.Lifecycle]().FieldByName("Strategy")
	for name := range strings.SplitSeq(field.Tag.Get("enum"), ",") {
		require.NotNil(t, values.Strategy(name).Traits(), name)
	}
	require.NotNil(t, values.InPlace.Traits())
	require.Nil(t, values.Strategy("none").Traits())

	for _, c := range []struct {
		lifecycle string
		want      values.Strategy
	}{
		{"{}", values.InPlace},
		{"lifecycle: pet", values.InPlace},
		{"lifecycle: {strategy: pool}", values.InPlace},
		{"lifecycle: cattle", values.Rollout},
		{"lifecycle: {type: cattle, strategy: replace}", values.Replace},
	} {
		vm := decoded(t, c.lifecycle)
		require.Equal(t, c.want, vm.Strategy(), c.lifecycle)
	}
}

func TestNames(t *testing.T) {
	require.Empty(t, values.NameProblem("web-01"))
	require.Contains(t, values.NameProblem("Web"), `invalid name "Web"; expected lower case letters`)
	require.Contains(t, values.NameProblem(strings.Repeat("a", 64)), "has 64 characters; at most 63 are accepted")
	require.Empty(t, values.LabelProblem("app.kubernetes.io/part-of", "Web_1"))
	require.Contains(t, values.LabelProblem("a b", ""), "invalid label key")
	require.Contains(t, values.LabelProblem("a", "b c"), "invalid label value")
	require.True(t, values.IsUUID("5d307ca9-b3ef-428c-8861-06e72d69f223"))
	require.False(t, values.IsUUID("5d307ca9"))
}
