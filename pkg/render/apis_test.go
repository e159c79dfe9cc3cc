package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestKubeVirtOfAPIs(t *testing.T) {
	for apis, want := range map[render.APIs]string{
		"": "",
		"v1,v1/Secret,kubevirt.io/v1,kubevirt.io/v1/VirtualMachine": "",
		"snapshot.kubevirt.io/v1beta1":                              "1.3",
		"clone.kubevirt.io/v1beta1,snapshot.kubevirt.io/v1beta1":    "1.5",
		"clone.kubevirt.io/v1beta1,pool.kubevirt.io/v1alpha1":       "1.5",
		"pool.kubevirt.io/v1beta1,clone.kubevirt.io/v1beta1":        "1.7",
		"export.kubevirt.io/v1,pool.kubevirt.io/v1beta1":            "1.9",
		"export.kubevirt.io/v1beta1":                                "",
	} {
		require.Equal(t, want, apis.KubeVirt(), apis)
	}
}

const someAPIs = "v1,v1/PersistentVolumeClaim,v1/Secret,v1/Service,batch/v1,batch/v1/Job,rbac.authorization.k8s.io/v1"

// TestCheckAPIs shows that a kind that the cluster does not serve is reported once,
// at the first VM that needs it.
func TestCheckAPIs(t *testing.T) {
	const values = `defaults: {namespace: ns, os: linux}
vms:
  a: {flavor: tiny, disks: {root: {source: {claim: c}}}, nics: [pod]}
  b: {flavor: tiny, disks: {root: {source: {claim: d}}, data: 1Gi}}
  c: {flavor: tiny, disks: {root: {source: {claim: e}}, data: 1Gi}, nics: [default/vlan]}
  d: {instancetype: u1.small, preference: linux, disks: {root: {source: {claim: f}}}}
  e: {flavor: tiny, disks: {root: {source: {claim: g}}}, snapshots: daily 01:30 UTC}
`
	kubevirt := someAPIs + ",kubevirt.io/v1,kubevirt.io/v1/VirtualMachine"
	for name, c := range map[string]struct {
		apis string
		want []string
	}{
		"unknown": {"", nil},
		"all": {
			kubevirt + ",cdi.kubevirt.io/v1beta1,cdi.kubevirt.io/v1beta1/DataVolume" +
				",k8s.cni.cncf.io/v1,k8s.cni.cncf.io/v1/NetworkAttachmentDefinition" +
				",instancetype.kubevirt.io/v1beta1/VirtualMachineClusterInstancetype" +
				",instancetype.kubevirt.io/v1beta1/VirtualMachineClusterPreference" +
				",snapshot.kubevirt.io/v1beta1/VirtualMachineSnapshot", nil,
		},
		"without kinds": {
			"v1,kubevirt.io/v1,cdi.kubevirt.io/v1beta1,k8s.cni.cncf.io/v1,instancetype.kubevirt.io/v1beta1" +
				",snapshot.kubevirt.io/v1beta1", nil,
		},
		"KubeVirt alone": {kubevirt, []string{
			"<stdin>:4:3: vms.b: the cluster serves no cdi.kubevirt.io/v1beta1 DataVolume; " +
				"install CDI, or use disks without DataVolumes, such as `claim` and `containerDisk`",
			"<stdin>:5:3: vms.c: the cluster serves no k8s.cni.cncf.io/v1 NetworkAttachmentDefinition; " +
				"install Multus, or use the network \"pod\" only",
			"<stdin>:6:3: vms.d: the cluster serves no instancetype.kubevirt.io/v1beta1 VirtualMachineClusterInstancetype; " +
				"install KubeVirt 1.1 or newer, or set cpu and memory",
			"<stdin>:6:3: vms.d: the cluster serves no instancetype.kubevirt.io/v1beta1 VirtualMachineClusterPreference; " +
				"install KubeVirt 1.1 or newer, or set cpu and memory",
			"<stdin>:7:3: vms.e: the cluster serves no snapshot.kubevirt.io/v1beta1 VirtualMachineSnapshot; " +
				"install KubeVirt 1.3 or newer, or remove `snapshotBefore`, `snapshots` and `restoreFrom`",
		}},
		"another version": {
			"v1,kubevirt.io/v1alpha3,kubevirt.io/v1alpha3/VirtualMachine" +
				",cdi.kubevirt.io/v1beta1,k8s.cni.cncf.io/v1,instancetype.kubevirt.io/v1beta1,snapshot.kubevirt.io/v1beta1",
			[]string{"<stdin>:3:3: vms.a: the cluster serves no kubevirt.io/v1 VirtualMachine; install KubeVirt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, unserved(t, values, c.apis))
		})
	}
}

// VMs can name the kinds of instance types and preferences as KubeVirt accepts them: OpenShift's console writes them in
// lower case.
func TestCheckAPIsOfKindsAsWritten(t *testing.T) {
	const values = `defaults: {namespace: ns, os: linux}
vms:
  a:
    instancetype: {name: u1.small, kind: virtualmachineclusterinstancetype}
    preference: {name: linux, kind: virtualmachinepreferences}
    disks: {root: {source: {claim: c}}}
`
	const types = ",instancetype.kubevirt.io/v1beta1/VirtualMachineClusterInstancetype"
	const apis = someAPIs + ",kubevirt.io/v1,kubevirt.io/v1/VirtualMachine" + types
	require.Empty(t, unserved(t, values, apis+",instancetype.kubevirt.io/v1beta1/VirtualMachinePreference"))
	require.Equal(t, []string{
		"<stdin>:3:3: vms.a: the cluster serves no instancetype.kubevirt.io/v1beta1 VirtualMachinePreference; " +
			"install KubeVirt 1.1 or newer, or set cpu and memory",
	}, unserved(t, values, apis))
}

// unserved returns what is reported of a fleet for a cluster that serves some APIs.
func unserved(t *testing.T, values, apis string) (got []string) {
	t.Helper()
	collector := render.NewCollector()
	collector.APIs = render.APIs(apis)
	_, diags := inventory.Visit("-", fleet.Options{Stdin: strings.NewReader(values), Image: "vmrender:1"}, collector.Visit)
	require.Empty(t, diags.Sorted())
	var found source.Diagnostics
	collector.CheckAPIs(&found)
	for _, d := range found.Sorted() {
		got = append(got, d.String())
	}
	return got
}
