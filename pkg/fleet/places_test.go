package fleet_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
)

// A change is shown at the value that makes it, wherever it is inherited from.
func TestPlaces(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte(`
-- fleet.yaml --
# The site.
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
defaults: {namespace: ns, os: fedora, flavor: small}
-- prod.yaml --
vms:
  web: {cpu: 8}
-- vms/_defaults.yaml --
memory: 4Gi
runStrategy: Halted
-- vms/web.yaml --
vms:
  web:
    disks:
      data: 10Gi
      logs: {size: 1Gi, bus: scsi}
  web-2:
    memory: 8Gi
  db: {replicas: 2, memory: 2Gi}
  blue: {lifecycle: {type: cattle, strategy: blue-green}, memory: 3Gi}
  other: {namespace: elsewhere, memory: 1Gi}
`)))
	vms := []string{"ns/web", "ns/web-2", "ns/db-1", "ns/blue-0a1b2c3d", "elsewhere/other", "ns/gone", "ns/other"}
	places := fleet.ReadPlaces(dir, fleet.Options{
		Overlays: []string{dir + "/prod.yaml"}, Defaults: []string{"evictionStrategy=None"},
	}, vms)
	for _, c := range []struct{ vm, key, want string }{
		{"ns/web", "", "vms/web.yaml:2:3"},
		{"ns/web", "memory", "vms/_defaults.yaml:1:9"},
		{"ns/web", "cpu", "prod.yaml:2:14"},
		{"ns/web", "disks.data", "vms/web.yaml:4:13"},
		{"ns/web", "disks.logs.bus", "vms/web.yaml:5:30"},
		{"ns/web", "disks.none", "vms/web.yaml:4:7"},
		{"ns/web", "evictionStrategy", "vms/web.yaml:2:3"},
		{"ns/web", "nics", "vms/web.yaml:2:3"},
		{"ns/web-2", "memory", "vms/web.yaml:7:13"},
		{"ns/web-2", "cpu", "fleet.yaml:5:47"},
		{"ns/db-1", "memory", "vms/web.yaml:8:29"},
		{"ns/blue-0a1b2c3d", "memory", "vms/web.yaml:9:67"},
		{"elsewhere/other", "memory", "vms/web.yaml:10:41"},
		{"ns/gone", "memory", "fleet.yaml:2:1"},
		{"ns/other", "memory", "fleet.yaml:2:1"},
	} {
		require.Equal(t, c.want, strings.TrimPrefix(places.Of(c.vm, c.key).String(), dir+"/"), "%s %s", c.vm, c.key)
	}
}
