package fleetgen

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A seed always results in the same fleet.
func TestSameFleetAgain(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(50) {
		text := New(seed).String()
		require.Equal(t, text, New(seed).String())
		different[text] = true
	}
	require.Len(t, different, 50)
}

// The table has only names that are definitions or keys, so that a renamed key does not
// lose its values.
func TestTableNamesKeys(t *testing.T) {
	s := readSources()
	known := map[string]bool{"defaults.vars": true}
	for _, key := range s.keys() {
		known[key], known[key+".*"] = true, true
	}
	for name := range s.definitions {
		known[name] = true
	}
	for name := range s.Values {
		require.True(t, known[name], "values: %s is neither a definition nor a key", name)
	}
	for name := range s.Wrong {
		require.True(t, known[name], "wrong: %s is neither a definition nor a key", name)
	}
	for name := range s.Names {
		require.True(t, known[name], "names: %s is not a key", name)
	}
	for _, name := range s.Free {
		require.True(t, known[name], "%s is neither a definition nor a key", name)
	}
	require.Contains(t, string(tableText), Secret)
}

func TestKeysOfAFleet(t *testing.T) {
	require.Subset(t, Keys(), []string{"fleet.vars", "vms.namespace", "VM.os", "CPU.sockets", "NIC.ip", "Route.via"})
	vm := map[string]any{"nics": []any{map[string]any{"ip": "x"}, "pod"}}
	f := Fleet{Files: map[string][]any{
		"fleet.yaml":          {map[string]any{"defaults": map[string]any{"cpu": 4}}},
		"site/_defaults.yaml": {map[string]any{"cpu": map[string]any{"cores": 4}}},
		"vms.yaml":            {map[string]any{"vms": map[string]any{"a": vm}}},
	}}
	seen := map[string]bool{}
	f.Keys(seen)
	require.Equal(t, map[string]bool{
		"fleet.defaults": true, "VM.cpu": true, "CPU.cores": true, "vms.vms": true, "VM.nics": true, "NIC.ip": true,
	}, seen)
}

// Parts that do not matter to a failure are left out.
func TestShrink(t *testing.T) {
	for seed := range uint64(20) {
		small := New(seed).Shrink(func(f Fleet) bool { return strings.Contains(f.String(), "os:") || f.Flow })
		require.LessOrEqual(t, len(small.Files), 1)
		require.LessOrEqual(t, strings.Count(small.String(), "\n"), 6, "%s", small)
		require.Empty(t, small.Args)
	}
}

func TestWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	f := Fleet{
		Files: map[string][]any{"site/a.yaml": {map[string]any{"vms": nil}, map[string]any{"b": 1}}},
		Args:  []string{"--set=a=b", "--vm=x"},
	}
	require.NoError(t, f.Write("fleet"))
	for file, want := range map[string]string{"site/a.yaml": "vms: null\n---\nb: 1\n", "args": "--set=a=b\n--vm=x\n"} {
		text, err := os.ReadFile("fleet/" + file)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	f.Flow = true
	require.Contains(t, f.String(), "-- site/a.yaml --\n{\"vms\":null}\n---\n{\"b\":1}\n")
}
