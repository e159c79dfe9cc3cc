package cdi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/cdi"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// CDI accepts every data volume that vmrender renders, and every one that
// KubeVirt creates from a rendered template.
func TestRendered(t *testing.T) {
	cli := product.Build(t)
	judges := judges(t)
	for name, dir := range cli.Fleets(t) {
		t.Run(name, func(t *testing.T) {
			judgeRendered(t, cli.Render(t, dir), judges)
		})
	}
	t.Run("matrix", func(t *testing.T) {
		dir := t.TempDir()
		count := product.WriteMatrix(t, dir, cli.OperatingSystems(t))
		volumes := judgeRendered(t, cli.Render(t, dir), judges)
		require.GreaterOrEqual(t, len(volumes), count, "every VM has a root disk")
	})
	for seed, objects := range cli.Generated(t, generated) {
		if volumes, err := cdi.DataVolumes(objects); err == nil && len(volumes) == 0 {
			continue // no VM, or none with a disk that CDI fills
		}
		t.Run("seed-"+seed, func(t *testing.T) { judgeRendered(t, objects, judges) })
	}
}

// generated is the number of generated fleets, of which about half are valid.
const generated = 300

func judgeRendered(t *testing.T, objects []object.Object, judges map[string]object.Judge) []object.Object {
	t.Helper()
	volumes, err := cdi.DataVolumes(objects)
	require.NoError(t, err)
	product.Judge(t, volumes, judges["schema"], judges["decode"], judges["webhook"])
	return volumes
}
