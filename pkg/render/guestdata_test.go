package render

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// Changed data for cloud-init changes cattle in the same way wherever the data is:
// inline, in a Secret, or in a Secret because of its length. It changes a pet only if it is inline.
func TestGuestDataIsAChange(t *testing.T) {
	long := strings.Repeat("#", inlineLimit)
	for name, test := range map[string]struct {
		secret bool
		suffix string
	}{"inline": {}, "in a Secret": {secret: true}, "too long": {suffix: long}} {
		t.Run(name, func(t *testing.T) {
			with := func(lc machine.Lifecycle, data string) *machine.Machine {
				m := linuxMachine(t)
				m.Lifecycle, m.Disks[0].Keep, m.Disks[0].Claim = lc, !lc.Cattle(), "web01-root-01234567"
				m.CloudInit = &machine.CloudInit{
					CloudInit: values.CloudInit{UserData: data + test.suffix}, InSecret: test.secret, SecretName: "web01-cloudinit",
				}
				return m
			}
			vm := func(strategy values.Strategy, data string) *kubevirtv1.VirtualMachine {
				return find[*kubevirtv1.VirtualMachine](t, render(t, with(machine.Lifecycle{Strategy: strategy}, data)))
			}
			for _, strategy := range []values.Strategy{values.InPlace, values.Rollout, values.Replace, values.BlueGreen} {
				first, second := vm(strategy, "a").Spec, vm(strategy, "a").Spec
				require.Equal(t, first, second, strategy)
				free := strategy == values.InPlace && name != "inline"
				one, other := vm(strategy, "a").Spec.Template.Spec, vm(strategy, "b").Spec.Template.Spec
				require.Equal(t, free, reflect.DeepEqual(one, other), strategy)
			}
			rootOf := func(strategy values.Strategy, data string) string {
				return vm(strategy, data).Spec.DataVolumeTemplates[0].Name
			}
			require.NotEqual(t, rootOf(values.Rollout, "a"), rootOf(values.Rollout, "b"), "a new disk")
			require.NotEqual(t, vm(values.BlueGreen, "a").Name, vm(values.BlueGreen, "b").Name)
			require.Equal(t, rootOf(values.Replace, "a"), rootOf(values.Replace, "b"))

			pool := func(data string) *poolv1.VirtualMachinePool {
				return find[*poolv1.VirtualMachinePool](t, render(t, with(machine.Lifecycle{Strategy: values.Pool}, data)))
			}
			disks := func(data string) []kubevirtv1.DataVolumeTemplateSpec {
				return pool(data).Spec.VirtualMachineTemplate.Spec.DataVolumeTemplates
			}
			require.NotEqual(t, disks("a"), disks("b"), "KubeVirt recreates the VMs")
		})
	}
}
