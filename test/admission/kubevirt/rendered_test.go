package kubevirt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// KubeVirt accepts every VM that vmrender renders.
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
		objects := cli.Render(t, dir)
		require.Len(t, object.OfKind(objects, "VirtualMachine"), count)
		judgeRendered(t, objects, judges)
	})
	t.Run("architectures", func(t *testing.T) {
		dir := t.TempDir()
		count := product.WriteArchitectures(t, dir, cli.OperatingSystems(t))
		objects := cli.Render(t, dir)
		require.Len(t, object.OfKind(objects, "VirtualMachine"), count)
		judgeRendered(t, objects, judges)
	})
	judges["webhooks"] = judges["webhooks"].Except(unknowable...)
	for seed, objects := range cli.Generated(t, generated) {
		if !hasMachines(objects) {
			continue
		}
		t.Run("seed-"+seed, func(t *testing.T) { judgeRendered(t, objects, judges) })
	}
}

// hasMachines reports whether there are VMs to judge. A fleet may be empty, or all its VMs may be in vSphere.
func hasMachines(objects []object.Object) bool {
	return len(object.OfKind(objects, "VirtualMachine"))+len(object.OfKind(objects, "VirtualMachinePool")) > 0
}

// generated is the number of generated fleets, of which about half are valid.
const generated = 300

// unknowable lists the problems that vmrender cannot refuse because they depend
// on the instance types and preferences of the cluster, or on the content of an
// override, and the warning about `running`, with which an adopted VM stays as it is.
var unknowable = []string{"not found", "Arm64 not support Watchdog device", "spec.running is deprecated"}

// judgeRendered runs all judges on the VMs, including one VM of each pool, and
// the schema on the pools.
func judgeRendered(t *testing.T, objects []object.Object, judges map[string]object.Judge) {
	t.Helper()
	machines := object.OfKind(objects, "VirtualMachine")
	for _, pool := range object.OfKind(objects, "VirtualMachinePool") {
		product.Judge(t, []object.Object{pool}, judges["schema"])
		machine, err := kubevirt.PoolMachine(pool)
		require.NoError(t, err)
		machines = append(machines, machine)
	}
	product.Judge(t, machines, judges["schema"], judges["decode"], judges["webhooks"], judges["boot"])
}
