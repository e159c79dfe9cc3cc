package fleet_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

const plainHeader = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" +
	"defaults: {namespace: ns, os: linux, flavor: small}\ntarget: {}\n"

// part reads a path of a fleet in dir. It returns the VMs as "namespace/name", sorted,
// and the problems.
func part(t *testing.T, dir, path string, opts fleet.Options) (vms, problems []string) {
	t.Helper()
	var diags source.Diagnostics
	var mu sync.Mutex
	f := fleet.Open(path, opts, &diags)
	f.Each(func(e *fleet.Entry, _ *source.Diagnostics) {
		mu.Lock()
		defer mu.Unlock()
		vms = append(vms, cmp.Or(e.VM.Namespace, f.Namespace)+"/"+e.Name)
	})
	slices.Sort(vms)
	return vms, fleettest.Problems(&diags, dir)
}

// TestInherit shows the origin of every effective value for one VM of each archive. The
// archive's comment describes it. Its file "want" is the result of Explain for the VM
// "it".
func TestInherit(t *testing.T) {
	archives, err := filepath.Glob("testdata/inherit/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			want := &a.Files[len(a.Files)-1]
			require.Equal(t, "want", want.Name)
			got := explain(t, a)
			if golden.Update() {
				want.Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o644))
			}
			require.Equal(t, string(want.Data), got)
		})
	}
}

func explain(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := fleettest.Unpack(t, a)
	opts := fleet.Options{Namespace: "ns"}
	overlay := filepath.Join(dir, ".overlay.yaml")
	if _, err := os.Stat(overlay); err == nil {
		opts.Overlays = []string{overlay}
	}
	diags := new(source.Diagnostics)
	found := fleet.Open(dir, opts, diags).Named("it")
	require.Empty(t, fleettest.Problems(diags, dir))
	require.Len(t, found, 1)
	var out strings.Builder
	for _, e := range found[0].Explained() {
		at := strings.TrimPrefix(strings.ReplaceAll(e.Pos.String(), dir, ""), "/")
		level := strings.ReplaceAll(e.Level, dir+"/", "")
		fmt.Fprintf(&out, "%s = %s (%s, %s)\n", e.Key, e.Value, at, level)
	}
	return out.String()
}
