package adopt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func objectsOf(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Read(strings.NewReader(text))
	require.NoError(t, err)
	return objects
}

func TestByHand(t *testing.T) {
	const vm = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"
	wanted := objectsOf(t, vm+`metadata: {name: web, namespace: prod}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 4Gi}}}}}
`)[0]
	live := objectsOf(t, vm+`metadata:
  name: web
  namespace: prod
  managedFields:
  - {manager: virt-api, time: "2026-11-22T03:00:00Z", fieldsV1: {"f:spec": {"f:runStrategy": {}}}}
spec:
  runStrategy: Halted
  template: {spec: {domain: {memory: {guest: 4Gi}}, volumes: [{name: a, dataVolume: {name: a, hotpluggable: true}}]}}
`)[0]
	require.Equal(t, []string{
		`spec.runStrategy: the VM was stopped in the cluster (virtctl stop); it is "Halted", and was "Always" ` +
			`(virt-api: virtctl, or the buttons of a console, 2026-11-22T03:00:00Z)`,
	}, ByHand(live, wanted))
	require.Empty(t, ByHand(live, manifest.Object{ID: live.ID}))

	const annotation = "kubectl.kubernetes.io/last-applied-configuration"
	applied := live.Tree()
	applied["metadata"] = tree{
		"name": "web", "namespace": "prod", "annotations": tree{annotation: string(wanted.JSON)},
	}
	o, err := manifest.New(applied)
	require.NoError(t, err)
	require.Equal(t, []string{
		`spec.runStrategy: the VM was stopped in the cluster (virtctl stop); it is "Halted", and was "Always"`,
	}, ByHand(o, manifest.Object{ID: o.ID}))
}
