package resolve_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// unpack writes the files of an archive to a temporary directory.
func unpack(t testing.TB, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, txtar.Write(a, dir))
	return dir
}

// relative returns diagnostics as lines, with paths relative to dir.
func relative(diags *source.Diagnostics, dir string) []string {
	var out []string
	for _, d := range diags.Sorted() {
		out = append(out, strings.ReplaceAll(d.String(), dir+"/", ""))
	}
	return out
}

// load loads a fleet from the content of a values file and a default header.
func load(t testing.TB, values string) ([]*machine.Machine, []string) {
	t.Helper()
	const header = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: i}
defaults: {namespace: ns, os: linux, flavor: small, disks: {root: {source: {dataSource: images/golden}}}}
`
	dir := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "fleet.yaml", Data: []byte(header)},
		{Name: "vms.yaml", Data: []byte(values)},
	}})
	f, diags := inventory.Load(dir, fleet.Options{})
	return f.Machines, relative(diags, dir)
}

func TestTemplates(t *testing.T) {
	machines, problems := load(t, `
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
	first, problems := load(t, values)
	require.Empty(t, problems)
	second, _ := load(t, values)
	require.Equal(t, first[0].Firmware, second[0].Firmware)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, first[0].Firmware.UUID)
	require.NotEqual(t, first[0].Firmware.UUID, first[0].Firmware.Serial)
	require.Equal(t, "5d307ca9-b3ef-428c-8861-06e72d69f223", first[1].Firmware.UUID)
}

// TestRootDiskName shows that cattle get a new root disk only for different content.
func TestRootDiskName(t *testing.T) {
	name := func(keys string) string {
		machines, problems := load(t, "vms: {a: {lifecycle: cattle, "+keys+"}}\n")
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

// part loads a path of a fleet in dir. It returns the VMs as "namespace/name", and the
// problems.
func part(t *testing.T, dir, path string, opts fleet.Options) (machines, problems []string) {
	t.Helper()
	f, diags := inventory.Load(path, opts)
	for _, m := range f.Machines {
		machines = append(machines, m.Namespace+"/"+m.Name)
	}
	return machines, relative(diags, dir)
}
