package kinds_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/kinds"
)

// Every kind of the groups that act on VMs, disks, networks, backups, quotas and leases must be named, whatever it is
// called.
func TestClosedGroups(t *testing.T) {
	for _, group := range []string{
		"kubevirt.io", "snapshot.kubevirt.io", "export.kubevirt.io", "clone.kubevirt.io", "pool.kubevirt.io",
		"cdi.kubevirt.io", "forklift.cdi.kubevirt.io", "snapshot.storage.k8s.io", "k8s.cni.cncf.io", "forklift.konveyor.io",
		"velero.io", "oadp.openshift.io", "actions.kio.kasten.io", "autoscaling", "keda.sh", "storage.k8s.io",
		"coordination.k8s.io", "migration.openshift.io", "apps", "extensions", "rbac.authorization.k8s.io",
	} {
		k := kinds.Of(group, "Anything")
		require.True(t, k.Named, group)
		require.NotEmpty(t, k.Does, group)
	}
	for _, name := range []string{"ResourceQuota", "LimitRange", "Endpoints", "Pod"} {
		require.True(t, func() bool { k := kinds.Of("", name); return k.Named }(), name)
	}
}

func TestOf(t *testing.T) {
	restore := kinds.Of("snapshot.kubevirt.io", "VirtualMachineRestore")
	require.Equal(t, "data-loss", restore.Level)
	require.True(t, restore.Acts())
	config := kinds.Of("", "ConfigMap")
	require.False(t, config.Named || config.Acts())
	require.True(t, config.Known())
	unknown := kinds.Of("example.com", "Thing")
	require.False(t, unknown.Known())
	notKubeVirts := kinds.Of("notkubevirt.io", "Thing")
	require.False(t, notKubeVirts.Known())
	group, name := kinds.Split("Pod")
	require.Equal(t, []string{"", "Pod"}, []string{group, name})
}

// A kind that must be named says why, and one that acts has its source; no kind has two rows.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds.All() {
		id := k.Group + "/" + k.Name
		require.False(t, seen[id], id)
		seen[id] = true
		require.Equal(t, k.Named || k.Acts(), k.Does != "", id)
		require.Equal(t, k.Acts() && k.Name != "", k.Source != "", id)
	}
}

// KubeVirt accepts kinds of instance types and preferences in any case, and plurals.
func TestOfType(t *testing.T) {
	for named, want := range map[string]string{
		"":                                   "VirtualMachineClusterInstancetype",
		"virtualmachineclusterinstancetypes": "VirtualMachineClusterInstancetype",
		"VirtualMachineInstancetype":         "VirtualMachineInstancetype",
		"virtualmachineinstancetype":         "VirtualMachineInstancetype",
	} {
		kind, ofCluster := kinds.OfType(named, "Instancetype")
		require.Equal(t, want, kind, named)
		require.Equal(t, strings.Contains(kind, "Cluster"), ofCluster, named)
	}
}
