package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/status"
)

// An Application that tracks a VM, and that does not exist although the export has Applications, syncs nothing. An
// export without those of its namespace does not show that.
func TestLostApplication(t *testing.T) {
	const tracking = "metadata.annotations.argocd~argoproj~io/tracking-id"
	for _, test := range []struct {
		name, by, exported string // by what the VM is tracked, and the Application of the export
		isLost             bool
	}{
		{"gone", "shop", "argocd/tools", true},
		{"there", "shop", "argocd/shop", false},
		{"no Applications", "shop", "", false},
		{"gone from another namespace", "team-a_shop", "team-a/tools", true},
		{"of a namespace that is not exported", "team-a_shop", "argocd/tools", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			setIn(w.vm, splitPath(tracking), test.by+":kubevirt.io/VirtualMachine:prod/db")
			for _, o := range w.others {
				delete(at(o, "metadata").(object), "annotations")
			}
			if namespace, name, ok := strings.Cut(test.exported, "/"); ok {
				w.add(object{
					"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{"name": name, "namespace": namespace},
				})
			}
			s := w.status(t)
			p := plan.New(encode(t, w.git), encode(t, w.git), plan.Options{Cluster: w.cluster, Live: encode(t, w.state())})
			const says = "the Application shop that tracks VirtualMachine prod/db does not exist: nothing syncs what it tracks"
			if !test.isLost {
				require.NotContains(t, toldOf(s), "does not exist")
				require.NotContains(t, told(p), "does not exist")
				return
			}
			require.Equal(t, status.StateNotSynced, s.VMs[0].State)
			require.Contains(t, toldOf(s), "the Application shop that tracks it does not exist: nothing syncs it")
			require.Contains(t, toldOf(s), says)
			require.Contains(t, told(p), says)

			web := load(t, "cattle")
			tracked(web)
			w.add(web[0])
			w.git = load(t, "cattle")
			require.Contains(t, toldOf(w.status(t)), "neither in Git nor in an Application: shop, which tracks it, does not exist")
		})
	}
}
