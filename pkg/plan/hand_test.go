package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

const volumes = "spec.template.spec.volumes"

// deeds are manual changes to a VM in the cluster, and the expected findings.
var deeds = []struct {
	name  string
	state func([]object)
	by    string // manager of the fields
	want  map[string]string
	who   string
}{
	{name: "nothing", state: platform},
	{
		name: "stopped", state: set("Halted", strategy), by: "virt-api", who: "virt-api: virtctl, or the buttons of a console",
		want: map[string]string{strategy: "the VM was stopped in the cluster (virtctl stop)"},
	},
	{
		name: "edited", state: set("8Gi", memory), by: "kubectl-edit", who: "kubectl edit",
		want: map[string]string{memory: "the cluster differs from Git"},
	},
	{
		name: "edited in the console", state: set("b", "spec.template.spec.nodeSelector.zone"), by: "Mozilla",
		who:  "a browser: OpenShift's console",
		want: map[string]string{"spec.template.spec.nodeSelector": "the cluster differs from Git"},
	},
	{
		name: "edited by a program of their own", state: set("8Gi", memory), by: "fix-it", who: "fix-it",
		want: map[string]string{memory: "the cluster differs from Git"},
	},
	{
		name: "plugged", state: plugged, by: "virt-api", who: "virt-api: virtctl, or the buttons of a console",
		want: map[string]string{volumes + "[extra]": "a volume was plugged in the cluster (virtctl addvolume)"},
	},
	{
		name: "a NIC", state: func(objects []object) {
			instance := at(objects[0], "spec", "template", "spec").(object)
			devices := at(instance, "domain", "devices").(object)
			devices["interfaces"] = append(devices["interfaces"].([]any), object{"name": "more", "bridge": object{}})
		}, by: "kubectl-patch", who: "kubectl patch",
		want: map[string]string{"spec.template.spec.domain.devices.interfaces[more]": "a NIC was plugged in the cluster"},
	},
	{
		name: "restored", state: set("restore-1-data", volumes+".1.persistentVolumeClaim.claimName"), by: "virt-controller",
		who:  "KubeVirt: a restore, or what was plugged",
		want: map[string]string{volumes + "[data]": "a restore in the cluster has replaced the claim"},
	},
	{
		name: "moved", state: both(
			set("Migration", "spec.updateVolumesStrategy"), set("db-data-new", volumes+".1.persistentVolumeClaim.claimName"),
		), by: "kubectl-patch", who: "kubectl patch",
		want: map[string]string{
			volumes + "[data]": "a storage migration has moved the volume in the cluster",
		},
	},
}

func TestByHand(t *testing.T) {
	for _, test := range deeds {
		t.Run(test.name, func(t *testing.T) {
			git, state := load(t, "pet"), load(t, "pet")
			test.state(state)
			state[0]["metadata"].(object)["managedFields"] = []any{
				object{"manager": test.by, "time": "2026-11-22T03:00:00Z", "fieldsV1": object{"f:spec": object{
					"f:runStrategy": object{}, "f:updateVolumesStrategy": object{}, "f:template": object{"f:spec": object{
						"f:nodeSelector": object{"f:zone": object{}}, "f:volumes": object{},
						"f:domain": object{"f:memory": object{"f:guest": object{}}, "f:devices": object{"f:interfaces": object{}}},
					}},
				}}},
				object{"manager": "argocd-controller", "time": "2026-11-22T04:00:00Z", "fieldsV1": object{"f:spec": object{}}},
			}
			wanted, live := encode(t, git)[0], encode(t, state)[0]
			found := pairs.ByHand(live, wanted)
			got := map[string]string{}
			for _, d := range found {
				if d.Path != "spec.template.spec.domain.devices.disks[extra]" { // belongs to the volume
					got[d.Path] = d.What
					require.Equal(t, []string{test.who, test.by, "2026-11-22T03:00:00Z"}, []string{d.Who, d.By, d.At}, d.Path)
				}
			}
			if test.want == nil {
				test.want = map[string]string{}
			}
			require.Equal(t, test.want, got)
			require.Empty(t, pairs.ByHand(live, live))
			require.Empty(t, pairs.ByHand(live, manifest.Object{ID: live.ID}), "nothing says what was applied")
		})
	}
}

// TestByHandSinceApplied tests a VM that is not in Git: the state that kubectl last
// applied counts.
func TestByHandSinceApplied(t *testing.T) {
	state := load(t, "pet")
	applied := string(encode(t, load(t, "pet"))[0].JSON)
	set("8Gi", memory)(state)
	state[0]["metadata"].(object)["annotations"].(object)["kubectl.kubernetes.io/last-applied-configuration"] = applied
	live := encode(t, state)[0]
	found := pairs.ByHand(live, manifest.Object{ID: live.ID})
	require.Len(t, found, 1)
	require.Equal(t, []string{memory, `"8Gi"`, `"4Gi"`}, []string{found[0].Path, found[0].Is, found[0].Wanted})

	// A later change in Git is not a manual change, though the VM differs from it.
	git := load(t, "pet")
	both(set("16Gi", memory), set("Halted", strategy))(git)
	require.Empty(t, pairs.ByHand(live, encode(t, git)[0]))
}
