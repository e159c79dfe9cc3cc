package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// TestCollector proves that a fleet that is rendered in parallel is complete, in order, and
// byte for byte the same as its VMs rendered one by one.
func TestCollector(t *testing.T) {
	var values strings.Builder
	values.WriteString("defaults: {os: rhel9, flavor: small, namespace: ns}\nvms:\n")
	const machines = 2000
	for i := range machines {
		fmt.Fprintf(&values, "  vm-%04d: {labels: {n: v%d}, wave: %d}\n", i, i, i%3)
	}
	stdin := func() fleet.Options { return fleet.Options{Stdin: strings.NewReader(values.String())} }

	c := render.NewCollector()
	_, diags := inventory.Visit("-", stdin(), c.Visit)
	require.Empty(t, diags.Sorted())
	all := c.Rendered(diags)
	require.Len(t, all, machines)
	var got, want bytes.Buffer
	w := manifest.NewWriter(&got, manifest.YAML)
	require.NoError(t, render.Write(w, all...))
	require.NoError(t, w.Close())

	f, diags := inventory.Load("-", stdin())
	w = manifest.NewWriter(&want, manifest.YAML)
	for _, m := range f.Machines {
		alone := render.NewCollector()
		alone.Visit(m, diags)
		require.NoError(t, render.Write(w, alone.Rendered(diags)...))
	}
	require.Empty(t, diags.Sorted())
	require.NoError(t, w.Close())
	require.Equal(t, want.String(), got.String())

	objects := render.Objects(all...)
	read, err := manifest.Read(&got)
	require.NoError(t, err)
	require.Len(t, objects, len(read))
	for i, o := range objects {
		require.Equal(t, read[i].ID, o.ID)
		require.JSONEq(t, string(read[i].JSON), string(o.JSON))
	}
}
