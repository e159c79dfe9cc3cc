package cdi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/cdi"
	"github.com/vmrender/vmrender/test/admission/object"
)

const stream = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web01, namespace: lab}
spec:
  dataVolumeTemplates:
  - {metadata: {name: web01}, spec: {}}
  - {metadata: {name: web01-data}, spec: {}}
---
apiVersion: v1
kind: Secret
metadata: {name: web01-cloudinit, namespace: lab}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: web02, namespace: lab}
---
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web, namespace: lab}
spec:
  virtualMachineTemplate:
    spec:
      dataVolumeTemplates:
      - {metadata: {name: web-root}, spec: {}}
`

func TestDataVolumes(t *testing.T) {
	objects, err := object.Read([]byte(stream))
	require.NoError(t, err)
	volumes, err := cdi.DataVolumes(objects)
	require.NoError(t, err)
	var names []string
	for _, v := range volumes {
		require.Equal(t, "cdi.kubevirt.io/v1beta1", v.APIVersion)
		names = append(names, v.String())
	}
	require.Equal(t, []string{"DataVolume lab/web01", "DataVolume lab/web01-data", "DataVolume lab/web02", "DataVolume lab/web-root"}, names)
}

func TestDataVolumesRefusesTemplateWithoutMetadata(t *testing.T) {
	objects, err := object.Read([]byte("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a, namespace: lab}\nspec: {dataVolumeTemplates: [{spec: {}}]}\n"))
	require.NoError(t, err)
	_, err = cdi.DataVolumes(objects)
	require.EqualError(t, err, "VirtualMachine lab/a: data volume template without metadata")
}
