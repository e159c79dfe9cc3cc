package resolve_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

// shop is a fleet of two namespaces that contain VMs of the same name, and VMs without a
// namespace of their own.
const shop = `-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: shop}
identity: {macPrefix: "02:a1:b2"}
catalog: {flavors: {huge: {cpu: 16, memory: 64Gi}}}
defaults: {os: fedora, flavor: medium, nics: [pod]}
-- front/vms.yaml --
namespace: front
vms:
  web: {flavor: large, labels: {env: 'env-{{ .environment | default "none" }}'}, dependsOn: [back/db, cache], wave: 5}
  cache: {replicas: 2}
-- back/vms.yaml --
namespace: back
vms:
  web: {cpu: 4, dependsOn: [db, front/cache-1]}
  db: {}
-- plain.yaml --
vms: {tool: {}}
`

// inEnvironment loads the shop, or a part of it, with overlays in order.
func inEnvironment(t *testing.T, part string, overlays ...string) (map[string]*machine.Machine, []string) {
	t.Helper()
	archive := txtar.Parse([]byte(shop))
	opts := fleet.Options{Namespace: "here"}
	for i, text := range overlays {
		name := ".o" + string(rune('0'+i)) + ".yaml"
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text + "\n")})
		opts.Overlays = append(opts.Overlays, name)
	}
	dir := fleettest.Unpack(t, archive)
	for i := range opts.Overlays {
		opts.Overlays[i] = dir + "/" + opts.Overlays[i]
	}
	f, diags := inventory.Load(dir+"/"+part, opts)
	machines := map[string]*machine.Machine{}
	for _, m := range f.Machines {
		machines[m.Namespace+"/"+m.Name] = m
	}
	return machines, fleettest.Problems(diags, dir)
}

func names(machines map[string]*machine.Machine) []string {
	var out []string
	for name := range machines {
		out = append(out, name)
	}
	return out
}

// `every` overrides the VMs, `vms` overrides `every`, and a later overlay overrides both.
func TestEvery(t *testing.T) {
	machines, problems := inEnvironment(t, "",
		"every: {flavor: huge, labels: {a: one}}\nvms: {front/web: {cpu: 2}}", "every: {labels: {a: two}}")
	require.Empty(t, problems)
	for name, m := range machines {
		require.Equal(t, "two", m.Labels["a"], name)
		require.Equal(t, "64Gi", m.Memory.Guest, name)
		want := uint32(16)
		if name == "front/web" {
			want = 2
		}
		require.Equal(t, want, m.CPU.Sockets, "%s: the flavor of every is above the VM's own cpu", name)
	}
	require.Equal(t, "env-none", machines["front/web"].Labels["env"], "without an environment it is an empty string")
}

// References to renamed namespaces are updated, and nothing else changes.
func TestNamespaces(t *testing.T) {
	for overlay, want := range map[string]string{
		"every: {namespace: one}\nvms: {back/web: null}": "one/web one/cache-0 one/cache-1 one/db one/tool",
		"namespacePrefix: dev-": "dev-front/web dev-front/cache-0 dev-front/cache-1 " +
			"dev-back/web dev-back/db here/tool",
		"namespaceSuffix: -x\nnamespacePrefix: d-": "d-front-x/web d-front-x/cache-0 d-front-x/cache-1 " +
			"d-back-x/web d-back-x/db here/tool",
		"namespaces: {front: f}":                 "f/web f/cache-0 f/cache-1 back/web back/db here/tool",
		"namespaces: {front: back, back: front}": "back/web back/cache-0 back/cache-1 front/web front/db here/tool",
		"namespaces: {back: back}\nnamespacePrefix: p-\nvms: {cache: {namespace: f}}": "p-front/web f/cache-0 f/cache-1 " +
			"back/web back/db here/tool",
	} {
		machines, problems := inEnvironment(t, "", overlay)
		require.Empty(t, problems, overlay)
		require.ElementsMatch(t, strings.Fields(want), names(machines), overlay)
		for name, m := range machines {
			if strings.HasSuffix(name, "/web") {
				require.Positive(t, m.Wave, "%s: its dependencies are found", name)
			}
			for _, on := range m.DependsOn {
				to := on.Namespace + "/" + on.Name
				if on.Name == "cache" {
					to += "-0"
				}
				require.Contains(t, machines, to, "%s: %s: a dependency has the namespace of its VM", overlay, name)
			}
		}
	}
	one := "namespaces: {front: one, back: one}"
	_, problems := inEnvironment(t, "", one)
	require.Len(t, problems, 2, "and the MAC address")
	require.Regexp(t, `^front/vms.yaml:3:3: vms.web: duplicate VM "web" in namespace "one"; `+
		`the first is at .*back/vms.yaml:3:3, and their namespaces in the files are "front" and "back"$`, problems[1])
	machines, problems := inEnvironment(t, "", one, "vms: {back/web: null}")
	require.Empty(t, problems)
	require.Len(t, machines, 5, "VMs are still addressed by their namespaces in the files")
}

// Two environments share no identity, even if their VMs have the same names and namespaces.
func TestEnvironmentIdentities(t *testing.T) {
	plain, problems := inEnvironment(t, "")
	require.Empty(t, problems)
	seen := map[string]string{}
	for _, overlays := range [][]string{
		{}, {"environment: dev"}, {"environment: dev", "environment: prod"}, {"namespacePrefix: a-"},
	} {
		machines, problems := inEnvironment(t, "", overlays...)
		require.Empty(t, problems)
		for name, m := range machines {
			if strings.Join(overlays, "") == "namespacePrefix: a-" && name == "here/tool" {
				continue // there is no difference
			}
			where := strings.Join(overlays, ", ") + " " + name
			for _, id := range []string{m.Firmware.UUID, m.Firmware.Serial, m.NICs[0].MAC} {
				require.NotEmpty(t, id)
				require.Empty(t, seen[id], "%s has %s of %s", where, id, seen[id])
				seen[id] = where
			}
			if len(overlays) == 2 {
				require.NotEqual(t, plain[name].Part, m.Part, "Jobs of two environments are not the same")
			}
		}
	}
	machines, _ := inEnvironment(t, "", "environment: dev", "environment: prod")
	require.Equal(t, "env-prod", machines["front/web"].Labels["env"], "the last environment wins")
}

// An overlay that changes no VM is a warning if the whole fleet is read.
func TestNoEffect(t *testing.T) {
	const changesNone = "changes no VM of the fleet: "
	for overlay, want := range map[string][]string{
		"defaults: {flavor: small}":                                nil,
		"defaults: {os: rhel9, namespace: x}\nevery: {os: fedora}": {"1:12: warning: defaults.os: " + changesNone},
		"{}": {"1:1: warning: the overlay changes no VM"},
		"defaults: {nics: [pod]}\nvms: {front/web: {nics: [pod]}}": nil,
		"vars: {a: 1}": nil,
		"defaults: {namespace: x}\nnamespacePrefix: p-": nil,
		"environment: dev":                                     nil,
		"policy: {minimum: deny}":                              nil,
		"vms: {db: {}, tool: {cpu: 3}}":                        {"1:7: warning: vms.db: " + changesNone + "it is empty"},
		"vms: {tool: null}":                                    nil,
		"namespaces: {front: f, frnt: g}":                      {"1:24: warning: namespaces.frnt: " + changesNone},
		"namespaces: {front: f, back: b}\nnamespacePrefix: p-": {"2:1: warning: namespacePrefix: " + changesNone},
		"namespacePrefix: p-\nnamespaceSuffix: -s":             nil,
		"every: {machineType: null}":                           nil,
		"vms: {front/web: {}, db: {memory: 5Gi}}\nevery: {memory: 4Gi}": {
			"1:7: warning: vms.front/web: " + changesNone,
		},
	} {
		_, problems := inEnvironment(t, "", overlay)
		require.Len(t, problems, len(want), "%s: %s", overlay, problems)
		for i := range want {
			require.Contains(t, problems[i], ".o0.yaml:"+want[i], overlay)
		}
		_, problems = inEnvironment(t, "back", overlay)
		require.NotContains(t, strings.Join(problems, "\n"), "changes no VM", "%s: a part shows nothing of the rest", overlay)
		require.NotContains(t, strings.Join(problems, "\n"), "unknown VM", "%s: a part shows nothing of the rest", overlay)
	}
	_, problems := inEnvironment(t, "", "every: {cpu: 2, hostname: a}", "every: {cpu: 3, hostname: b}")
	require.Empty(t, problems, "a layer of overlays may be overridden by the next")
}
