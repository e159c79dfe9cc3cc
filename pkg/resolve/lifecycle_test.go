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

func TestLifecycle(t *testing.T) {
	show := func(m *machine.Machine) string {
		lc := m.Lifecycle
		return fields("strategy", lc.Strategy, "unavailable", lc.MaxUnavailable.String(), "old", lc.KeepOld,
			"deadline", lc.ProgressDeadlineSeconds,
			"snapshot", lc.SnapshotBefore, "replicas", lc.Replicas)
	}
	resolve(t, show, []row{
		{"pet", `lifecycle: pet`, "unavailable=1 old=1"},
		{"snapshot-before", `lifecycle: {snapshotBefore: true}`, "unavailable=1 old=1 snapshot=true"},
		{"rollout", `lifecycle: {type: cattle, maxUnavailable: 25%, keepOld: 0}`, "strategy=rollout unavailable=25%"},
		{
			"deadline", `lifecycle: {type: cattle, progressDeadlineSeconds: 60}`,
			"strategy=rollout unavailable=1 old=1 deadline=60",
		},
		{
			"pool", `replicas: 3, lifecycle: {type: cattle, strategy: pool, maxUnavailable: 2}`,
			"strategy=pool unavailable=2 old=1 replicas=3",
		},
		{"blue-green", `lifecycle: {type: cattle, strategy: blue-green}`, "strategy=blue-green unavailable=1 old=1"},
		{
			"container-root-of-cattle", `disks: {root: {source: {http: null, containerDisk: a/b}}}, lifecycle: cattle`,
			"strategy=rollout unavailable=1 old=1",
		},
	})
	refuse(t, []row{
		{
			"none-unavailable", `lifecycle: {type: cattle, maxUnavailable: 0}`,
			`invalid value "0"; expected a number from 1, or a percentage up to "100%"`,
		},
		{
			"unavailable-of-replace", `lifecycle: {type: cattle, strategy: replace, maxUnavailable: 1}`,
			"\"maxUnavailable\" is for `strategy: rollout`",
		},
		{
			"deadline-of-pool", `replicas: 1, lifecycle: {type: cattle, strategy: pool, progressDeadlineSeconds: 1}`,
			"\"progressDeadlineSeconds\" is for `strategy: rollout`",
		},
		{
			"old-of-blue-green", `lifecycle: {type: cattle, strategy: blue-green, keepOld: 1}`,
			"\"keepOld\" is for `strategy: rollout`",
		},
		{
			"old-of-pool", `replicas: 1, lifecycle: {type: cattle, strategy: pool, keepOld: 1}`,
			"\"keepOld\" is for `strategy: rollout`",
		},
		{"snapshot-of-cattle", `lifecycle: {type: cattle, snapshotBefore: true}`, "\"snapshotBefore\" is for pets"},
		{
			"ansible-of-cattle", `lifecycle: {type: cattle, ansible: {image: i, playbook: p}}`,
			"\"ansible\" is for pets",
		},
		{"ansible-without-either", `lifecycle: {ansible: {}}`, "expected exactly one of template"},
		{
			"ansible-with-both", `lifecycle: {ansible: {template: a, image: b, secret: s}}`,
			"expected exactly one of template",
		},
		{
			"template-without-secret", `lifecycle: {ansible: {template: a}}`,
			"vms.yaml:2:20: vms.it.lifecycle.ansible.secret: missing",
		},
		{
			"template-with-playbook", `lifecycle: {ansible: {template: a, secret: s, playbook: p}}`,
			"a job template names its own playbook",
		},
		{"image-without-playbook", `lifecycle: {ansible: {image: a}}`, "vms.it.lifecycle.ansible.playbook: missing"},
		{
			"ambiguous-variable", `lifecycle: {ansible: {image: a, playbook: p, extraVars: {x: yes}}}`,
			`vms.it.lifecycle.ansible.extraVars.x`,
		},
		{
			"connection-variable", `lifecycle: {ansible: {template: a, secret: s, extraVars: {ansible_connection: local}}}`,
			"vms.it.lifecycle.ansible.extraVars.ansible_connection: \"ansible_connection\" overrides how the platform connects",
		},
		{"identity-of-vm", `lifecycle: {type: cattle, strategy: blue-green}, identity: {}`, `unknown key "identity"`},
		{
			"ordinal-in-pool", `lifecycle: {type: cattle, strategy: pool}, replicas: 2, labels: {a: 'a{{.ordinal}}'}`,
			"under `strategy: pool` all VMs are the same, and have no ordinal",
		},
	})
	warn(t, []row{
		{
			"container-root", `disks: {root: {source: {http: null, containerDisk: a/b}}}`,
			"vms.it.disks.root.source: what the guest writes to such a disk is lost",
		},
		{
			"secret-variable", `lifecycle: {ansible: {image: a, playbook: p, extraVars: {db_password: x}}}`,
			"vms.it.lifecycle.ansible.extraVars.db_password: a password in clear text",
		},
	})
	for _, fine := range []string{
		`{image: a, playbook: p, extraVars: {ansible_connection: local}}`,
		`{template: a, secret: s, extraVars: {db_password: "{{ vault }}", secrets: [a], stage: prod}}`,
	} {
		_, problems := inSite(t, "lifecycle: {ansible: "+fine+"}")
		require.Empty(t, problems, fine)
	}
}

// A setting that a strategy does not support is an error at its position.
func TestStrategyLimits(t *testing.T) {
	for _, test := range []struct{ strategy, name, keys, at string }{
		{"rollout", "kept-root", "disks: {root: {keep: true}}", "disks.root.keep"},
		{"rollout", "growing-root", "disks: {root: {expandTo: 30Gi}}", "disks.root.expandTo"},
		{"rollout", "growing-data", "disks: {data: {size: 1Gi, expandTo: 2Gi}}", ""},
		{"rollout", "kept-data", "disks: {data: {size: 1Gi, keep: true}}", ""},
		{"rollout", "protect", "lifecycle: {protect: true}", ""},
		{"rollout", "mac", "nics: [{network: lan, mac: '02:00:00:00:00:01'}]", ""},
		{"rollout", "claim", "disks: {root: {source: {http: null, claim: golden}}}", ""},
		{"replace", "kept-root", "disks: {root: {keep: true}}", ""},
		{"replace", "data", "disks: {data: 1Gi}", "disks.data"},
		{"replace", "kept-data", "disks: {data: {size: 1Gi, keep: true}}", ""},
		{"replace", "lost-data", "disks: {data: {size: 1Gi, keep: false}}", ""},
		{"replace", "scratch", "disks: {data: {size: 1Gi, source: {emptyDisk: true}}}", ""},
		{"replace", "disks-kept", "disks: {data: 1Gi}, lifecycle: {keepDisks: true}", ""},
		{"replace", "disks-lost", "disks: {data: 1Gi}, lifecycle: {keepDisks: false}", ""},
		{"replace", "protect", "lifecycle: {protect: true}", "lifecycle.protect"},
		{"replace", "long-grace", "terminationGracePeriodSeconds: 300", "terminationGracePeriodSeconds"},
		{"replace", "grace", "terminationGracePeriodSeconds: 299", ""},
		{"blue-green", "data", "disks: {data: 1Gi}", ""},
		{"blue-green", "kept-data", "disks: {data: {size: 1Gi, keep: true}}", "disks.data"},
		{"blue-green", "disks-kept", "disks: {data: 1Gi}, lifecycle: {keepDisks: true}", "disks.data"},
		{"blue-green", "written-claim", "disks: {data: {source: {claim: c}}}", "disks.data"},
		{"blue-green", "read-claim", "disks: {data: {source: {claim: c}, readOnly: true}}", ""},
		{"blue-green", "cdrom-claim", "disks: {data: {source: {claim: c}, type: cdrom}}", ""},
		{"blue-green", "growing-data", "disks: {data: {size: 1Gi, expandTo: 2Gi}}", "disks.data.expandTo"},
		{"blue-green", "protect", "lifecycle: {protect: true}", "lifecycle.protect"},
		{"blue-green", "mac", "nics: [lan, {network: fast, mac: '02:00:00:00:00:01'}]", "nics[1].mac"},
		{"blue-green", "ip", "nics: [{network: lan, ip: 10.0.0.5/24}]", "nics[0].ip"},
		{"blue-green", "uuid", "firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}", ""},
		{"blue-green", "denied", "lifecycle: {removal: denied}", "lifecycle.removal"},
		{"rollout", "denied", "lifecycle: {removal: denied}", ""},
		{"replace", "approved", "lifecycle: {removal: approved}", ""},
		{"pool", "replicas", "replicas: 2", ""},
		{"pool", "no-replicas", "replicas: null", "replicas"},
		{"pool", "hostname", "replicas: 2, hostname: a", "hostname"},
		{"pool", "cloud-init-hostname", "replicas: 2, cloudInit: {hostname: a}", "cloudInit.hostname"},
		{"pool", "serial", "replicas: 2, firmware: {serial: a}", "firmware.serial"},
		{"pool", "protect", "replicas: 2, lifecycle: {protect: true}", "lifecycle.protect"},
		{"pool", "ip", "replicas: 2, nics: [{network: lan, ip: 10.0.0.5/24}]", "nics[0].ip"},
		{"pool", "kept-data", "replicas: 2, disks: {data: {size: 1Gi, keep: true}}", "disks.data"},
		{"pool", "data", "replicas: 2, disks: {data: 1Gi}", ""},
	} {
		t.Run(test.strategy+"/"+test.name, func(t *testing.T) {
			_, problems := inSite(t, withStrategy(test.keys, test.strategy))
			if test.at == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], ": vms.it."+test.at+": under `strategy: "+test.strategy+"` ")
			require.NotContains(t, problems[0], "vms.yaml:2:3:", "the value's own place")
		})
	}
}

// withStrategy adds a lifecycle with cattle and a strategy to the keys of a VM.
func withStrategy(keys, strategy string) string {
	if strings.Contains(keys, "lifecycle: {") {
		return strings.Replace(keys, "lifecycle: {", "lifecycle: {type: cattle, strategy: "+strategy+", ", 1)
	}
	return keys + ", lifecycle: {type: cattle, strategy: " + strategy + "}"
}

// A pool counts as one VM, and KubeVirt sets the identities of its VMs.
func TestPoolIsOneMachine(t *testing.T) {
	machines, problems := fleettest.Load(t, `
vms:
  a: {replicas: 3, disks: {root: {source: {claim: c}, readOnly: true}}, lifecycle: {type: cattle, strategy: pool}}
  b: {dependsOn: [a]}
`)
	require.Empty(t, problems)
	require.Len(t, machines, 2)
	require.Equal(t, "a", machines[0].Name)
	require.Equal(t, machine.Firmware{Type: "bios"}, machines[0].Firmware)
	require.Equal(t, 1, machines[1].Wave)
}

// Two VMs cannot have the same identity.
func TestIdentityCollisions(t *testing.T) {
	const uuid = "5d307ca9-b3ef-428c-8861-06e72d69f223"
	_, problems := fleettest.Load(t,
		"vms:\n  a: {firmware: {uuid: "+uuid+"}}\n  b: {firmware: {uuid: "+strings.ToUpper(uuid)+"}}\n")
	require.Equal(t, []string{
		`vms.yaml:3:24: vms.b.firmware.uuid: duplicate firmware UUID "` + uuid + `"; the VM "a" has it at vms.yaml:2:24`,
	}, problems)
	_, problems = fleettest.Load(t, "vms:\n  a: {replicas: 2, firmware: {serial: x}}\n")
	require.Equal(t, []string{
		`vms.yaml:2:39: vms.a.firmware.serial: duplicate serial number "x"; the VM "a-0" has it at vms.yaml:2:39`,
	}, problems)
}

// All revisions of a blue-green VM are the same computer to their guests but have
// different MAC addresses.
func TestBlueGreenIdentity(t *testing.T) {
	const header = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
identity: {macPrefix: "02:a1:b2"}
defaults: {namespace: ns, os: fedora, flavor: small}
`
	machine := func(lifecycle string) *machine.Machine {
		dir := fleettest.Unpack(t, &txtar.Archive{Files: []txtar.File{
			{Name: "fleet.yaml", Data: []byte(header)},
			{Name: "vms.yaml", Data: []byte("vms: {a: {lifecycle: " + lifecycle + "}}\n")},
		}})
		f, diags := inventory.Load(dir, fleet.Options{})
		require.Empty(t, fleettest.Problems(diags, dir))
		return f.Machines[0]
	}
	pet, blue := machine("pet"), machine("{type: cattle, strategy: blue-green}")
	require.Equal(t, pet.Firmware.UUID, blue.Firmware.UUID)
	require.Equal(t, pet.Firmware.Serial, blue.Firmware.Serial)
	require.NotEmpty(t, pet.NICs[0].MAC)
	require.Empty(t, blue.NICs[0].MAC)
}

// Names are short enough for the suffixes that are added to them.
func TestNameRoom(t *testing.T) {
	name := strings.Repeat("a", 55)
	for lifecycle, want := range map[string]string{
		"{type: cattle, strategy: blue-green}": "vms." + name +
			`: "` + name + `" has 55 characters; at most 54 are accepted`,
		"{type: pet, ansible: {image: i, playbook: p}}": `-ansible-01234567" has 72 characters`,
		"{type: cattle, strategy: replace}":             "",
		"{type: pet, snapshotBefore: true}":             "",
	} {
		_, problems := fleettest.Load(t, "vms: {"+name+": {disks: {root: {readOnly: true}}, lifecycle: "+lifecycle+"}}\n")
		if want == "" {
			require.NotContains(t, strings.Join(problems, "\n"), "characters")
			continue
		}
		require.Len(t, problems, 1, lifecycle)
		require.Contains(t, problems[0], want)
	}
}

// A part name depends only on the set of VMs that are rendered together.
func TestPart(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte(`-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
defaults: {namespace: ns, os: fedora, flavor: small}
-- a/vms.yaml --
vms: {a: {}, b: {}}
`)))
	part := func(path string, vms ...string) string {
		f, diags := inventory.Load(path, fleet.Options{VMs: vms})
		require.Empty(t, diags.Sorted())
		return f.Machines[0].Part
	}
	whole := part(dir)
	require.Regexp(t, `^site-[0-9a-f]{8}$`, whole)
	require.Equal(t, whole, part(dir+"/a/.."))
	require.NotEqual(t, whole, part(dir+"/a"))
	require.NotEqual(t, whole, part(dir, "a"))
	require.Equal(t, part(dir, "a", "b"), part(dir, "b", "a"))
	t.Chdir(dir)
	require.Equal(t, whole, part("."))
	t.Chdir("a")
	require.Equal(t, part(dir+"/a"), part("."))
}
