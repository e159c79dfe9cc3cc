package versions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissingIn(t *testing.T) {
	state := Named("link state")
	for version, missing := range map[string]bool{
		"1.4": true, "v1.4.9": true, "0.59": true, "1.5": false, "1.5.0": false, "1.10": false,
		"2.0": false, "": false, "new": false,
	} {
		require.Equal(t, missing, state.MissingIn(version), "%q", version)
	}
	require.Nil(t, Named("nothing"))

	// A feature that no version in the table has may be in the next one.
	never := Named("checksum of an HTTP source in a template of a disk")
	for version, missing := range map[string]bool{"1.4": true, Newest: true, "": true, "1.10": false} {
		require.Equal(t, missing, never.MissingIn(version), "%q", version)
	}
}

// From 1.9 on, KubeVirt's beta gates are enabled. Alpha gates are not.
func TestGateOn(t *testing.T) {
	require.False(t, GateOn("RebootPolicy", "1.8"))
	require.True(t, GateOn("RebootPolicy", "1.9"))
	require.True(t, GateOn("RebootPolicy", ""))
	require.False(t, GateOn("PortRangesSpec", "1.9"))
	require.False(t, GateOn("NoSuchGate", ""))
}

func TestTables(t *testing.T) {
	byName := func(a, b Gate) int { return cmp.Compare(a.Name, b.Name) }
	require.True(t, slices.IsSortedFunc(gates, byName), "gates by name")
	known := func(name string) bool { return slices.ContainsFunc(gates, func(g Gate) bool { return g.Name == name }) }
	order := func(f Feature) string {
		if f.Since == "" {
			return string(f.Product) + " none"
		}
		n := Parse(f.Since)
		require.True(t, n.IsKnown(), f.Name)
		return string(f.Product) + " " + strconv.Itoa(1000*n[0]+n[1])
	}
	require.True(t, slices.IsSortedFunc(features, func(a, b Feature) int { return cmp.Compare(order(a), order(b)) }))
	seen := map[string]bool{}
	for _, f := range Features() {
		require.False(t, seen[f.Name], "%s is there twice", f.Name)
		seen[f.Name] = true
		require.NotEmpty(t, f.Source, f.Name)
		require.True(t, f.Gate == "" || known(f.Gate), "%s: unknown gate %s", f.Name, f.Gate)
		require.Equal(t, f.Kind == "", f.Field == "", f.Name)
		require.True(t, f.Field == "" || strings.HasPrefix(f.Field, "spec."), f.Name)
	}
	require.Len(t, Rows(), len(features))
}
