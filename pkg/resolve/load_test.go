package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
)

func TestTemplates(t *testing.T) {
	machines, problems := fleettest.Load(t, `
vars: {team: web, ports: [80, 443]}
vms:
  a:
    replicas: 2
    hostname: "{{ .vm.name }}"
    labels: {team: "{{ .vars.team | upper }}", fleet: "{{ .fleet.name }}-{{ .ordinal }}"}
    annotations: {ports: "{{ range .vars.ports }}{{ . }};{{ end }}"}
    nics: [{network: default/lan, ip: "10.0.0.{{ add 10 .ordinal }}/24"}]
`)
	require.Empty(t, problems)
	require.Len(t, machines, 2)
	m := machines[1]
	require.Equal(t, "a-1", m.Hostname)
	require.Equal(t, map[string]string{"team": "WEB", "fleet": "f-1"}, m.Labels)
	require.Equal(t, map[string]string{"ports": "80;443;"}, m.Annotations)
	require.Equal(t, "10.0.0.11/24", m.NICs[0].IP)
}

func TestIdentity(t *testing.T) {
	values := "vms: {a: {}, b: {firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}}}\n"
	first, problems := fleettest.Load(t, values)
	require.Empty(t, problems)
	second, _ := fleettest.Load(t, values)
	require.Equal(t, first[0].Firmware, second[0].Firmware)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, first[0].Firmware.UUID)
	require.NotEqual(t, first[0].Firmware.UUID, first[0].Firmware.Serial)
	require.Equal(t, "5d307ca9-b3ef-428c-8861-06e72d69f223", first[1].Firmware.UUID)
}

// TestRootDiskName shows that cattle get a new root disk only for different content.
func TestRootDiskName(t *testing.T) {
	name := func(keys string) string {
		machines, problems := fleettest.Load(t, "vms: {a: {lifecycle: cattle, "+keys+"}}\n")
		require.Empty(t, problems)
		return machines[0].Disks[0].Claim
	}
	root := func(source string) string {
		return "disks: {root: {size: 10Gi, source: {http: https://x/" + source + "}}}"
	}
	base := name(root("y, version: a"))
	require.Regexp(t, `^a-root-[0-9a-f]{8}$`, base)
	require.Equal(t, base, name(root("y, version: a")+", labels: {x: z}, cpu: 2"))
	require.NotEqual(t, base, name(root("y, version: b")))
	require.NotEqual(t, base, name(root("z, version: a")))
}
