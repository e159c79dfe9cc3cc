package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestOverrideProblems(t *testing.T) {
	const spec = "spec: {template: {spec: "
	tests := map[string]struct {
		override string
		want     []string
	}{
		"unknown key": {
			spec + "{domain: {cpu: {core: 2}}}}}",
			[]string{`vms.yaml:1:41: vms.web01.overrides.spec.template.spec.domain.cpu.core: ` +
				`unknown key "core"; did you mean "cores"?`},
		},
		"unknown key in the template's metadata": {
			"spec: {template: {metadata: {label: {a: b}}}}",
			[]string{`vms.yaml:1:30: vms.web01.overrides.spec.template.metadata.label: ` +
				`unknown key "label"; did you mean "labels"?`},
		},
		"wrong type": {
			spec + "{domain: {cpu: {cores: four}}}}}",
			[]string{`vms.yaml:1:48: vms.web01.overrides.spec.template.spec.domain.cpu.cores: ` +
				`wrong type: got a string, expected an integer`},
		},
		"bad quantity": {
			spec + "{domain: {memory: {guest: sixteen}}}}}",
			[]string{`vms.yaml:1:51: vms.web01.overrides.spec.template.spec.domain.memory.guest: the value is not a quantity; ` +
				`write a number with or without a unit, such as 500m, 4 or 16Gi`},
		},
		"too little memory": {
			spec + "{domain: {memory: {guest: 1Ki}}}}}",
			[]string{`vms.yaml:1:51: vms.web01.overrides.spec.template.spec.domain.memory.guest: ` +
				`too little for any guest; expected a quantity such as "4Gi"`},
		},
		"no cores": {
			spec + "{domain: {cpu: {cores: 0}}}}}",
			[]string{`vms.yaml:1:48: vms.web01.overrides.spec.template.spec.domain.cpu.cores: ` +
				`0 is not a valid number of cores; expected at least 1`},
		},
		"volume without disk": {
			spec + "{volumes: [{name: rootdisk, persistentVolumeClaim: {claimName: web01}}, " +
				"{name: x, emptyDisk: {capacity: 1Gi}}]}}}",
			[]string{`vms.yaml:1:35: vms.web01.overrides.spec.template.spec.volumes: "x": volume without a disk of that name`},
		},
		"disk without volume, but for an ejected CD-ROM": {
			spec + "{domain: {devices: {disks: [{name: rootdisk, disk: {}}, {name: x, disk: {}}, {name: tray, cdrom: {}}]}}}}}",
			[]string{`vms.yaml:1:81: vms.web01.overrides.spec.template.spec.domain.devices.disks: ` +
				`"x": disk without a volume of that name`},
		},
		"volume of an ACPI table": {
			spec + "{domain: {firmware: {acpi: {slicNameRef: slic}}}, volumes: [" +
				"{name: rootdisk, persistentVolumeClaim: {claimName: web01}}, {name: slic, secret: {secretName: oem}}]}}}", nil,
		},
		"network without interface": {
			spec + "{networks: [{name: default, pod: {}}, {name: x, multus: {networkName: a/b}}]}}}",
			[]string{`vms.yaml:1:63: vms.web01.overrides.spec.template.spec.networks: ` +
				`"x": network without an interface of that name`},
		},
		"interface without network": {
			spec + "{networks: []}}}",
			[]string{`vms.yaml:1:25: vms.web01.overrides.spec.template.spec.domain.devices.interfaces: ` +
				`"default": interface without a network of that name`},
		},
		"secure boot without SMM": {
			spec + "{domain: {firmware: {bootloader: {efi: {}}}}}}}",
			[]string{"vms.yaml:1:64: vms.web01.overrides.spec.template.spec.domain.firmware.bootloader.efi: " +
				"secure boot, which is on unless `secureBoot: false`, needs `features: {smm: {enabled: true}}`"},
		},
		"duplicate names": {
			spec + "{volumes: [{name: rootdisk, persistentVolumeClaim: {claimName: web01}}, " +
				"{name: rootdisk, emptyDisk: {capacity: 1Gi}}]}}}",
			[]string{`vms.yaml:1:97: vms.web01.overrides.spec.template.spec.volumes: "rootdisk": duplicate name`},
		},
		"another identity": {
			"{kind: VirtualMachineInstance, metadata: {name: web02, namespace: prod}}",
			[]string{
				`vms.yaml:1:8: vms.web01.overrides.kind: must not be changed`,
				"vms.yaml:1:49: vms.web01.overrides.metadata.name: must not be changed; rename the VM instead",
				"vms.yaml:1:67: vms.web01.overrides.metadata.namespace: must not be changed; set `namespace` instead",
			},
		},
		"no template": {
			"spec: {template: null}",
			[]string{`vms.yaml:1:7: vms.web01.overrides.spec.template: missing template`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.Overrides = []*source.Node{tree(t, "vms.yaml", test.override+"\n")}
			require.Equal(t, test.want, problems(t, m))
		})
	}
}

func TestPatchProblems(t *testing.T) {
	const add = "op: add, path: /spec/template/spec"
	tests := map[string]struct{ patch, want string }{
		"path that does not exist": {
			"op: replace, path: /spec/nope/x, value: 1",
			`vms.yaml:2:3: vms.web01.patches[1]: replace "/spec/nope/x": path does not exist; "/spec" does`,
		},
		"test that fails": {
			"op: test, path: /spec/runStrategy, value: Halted",
			`vms.yaml:2:3: vms.web01.patches[1]: test "/spec/runStrategy": the value is different`,
		},
		"unknown key": {
			add + "/hostnam, value: a",
			`vms.yaml:2:55: vms.web01.patches[1].spec.template.spec.hostnam: unknown key "hostnam"; did you mean "hostname"?`,
		},
		"unknown key within a value": {
			"op: replace, path: /spec/template/spec/domain/cpu, value: {cores: 1, socket: 2}",
			`vms.yaml:2:73: vms.web01.patches[1].spec.template.spec.domain.cpu.socket: ` +
				`unknown key "socket"; did you mean "sockets"?`,
		},
		"value where another type belongs": {
			"op: move, from: /spec/template/spec/domain/cpu, path: /spec/template/spec/hostname",
			`vms.yaml:2:3: vms.web01.patches[1].spec.template.spec.hostname: wrong type: got a map, expected a string`,
		},
		"what KubeVirt accepts though it is wrong": {
			"op: remove, path: /spec/template/spec/domain/devices/disks/0",
			`vms.yaml:4:5: vms.web01.patches.spec.template.spec.volumes: "rootdisk": volume without a disk of that name`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.PatchPos = source.Pos{File: "vms.yaml", Line: 4, Col: 5}
			m.Patches = operations(t, "- {op: test, path: /kind, value: VirtualMachine}\n- {"+test.patch+"}\n")
			require.Equal(t, []string{test.want}, problems(t, m))
		})
	}
}

// operations reads patches from vms.yaml.
func operations(t testing.TB, text string) (ops []patch.Operation) {
	t.Helper()
	var diags source.Diagnostics
	source.Decode(tree(t, "vms.yaml", text), &ops, "patches", &diags)
	require.Empty(t, diags.Sorted())
	return ops
}

// A problem of the overrides that the patches do not change is reported for the
// overrides. A problem that the patches fix is not reported.
func TestPatchesAfterOverrides(t *testing.T) {
	m := linuxMachine(t)
	m.PatchPos = source.Pos{File: "vms.yaml", Line: 4, Col: 5}
	m.Overrides = []*source.Node{tree(t, "vms.yaml", "{kind: VM, spec: {template: {spec: {networks: []}}}}\n")}
	m.Patches = operations(t, `
- {op: replace, path: /kind, value: VirtualMachine}
- {op: replace, path: /metadata/name, value: web02}
`)
	require.Equal(t, []string{
		`vms.yaml:1:36: vms.web01.overrides.spec.template.spec.domain.devices.interfaces: ` +
			`"default": interface without a network of that name`,
		"vms.yaml:3:46: vms.web01.patches.metadata.name: must not be changed; rename the VM instead",
	}, problems(t, m))
}

// Overrides change the VirtualMachine and nothing else.
func TestOverridesComeLast(t *testing.T) {
	m := linuxMachine(t)
	plain := yamlOf(t, render(t, m)[:1])
	m.Overrides = []*source.Node{tree(t, "vms.yaml",
		"{metadata: {annotations: {note: \"7\"}}, spec: {runStrategy: Halted}}")}
	m.Patches = operations(t, "[{op: replace, path: /spec/runStrategy, value: Manual}]")
	objects := render(t, m)
	require.Equal(t, plain, yamlOf(t, objects[:1]))
	vm := yamlOf(t, objects[1:])
	require.Contains(t, vm, "runStrategy: Manual\n")
	require.Contains(t, vm, `note: "7"`)
}

// An override that changes nothing results in the same bytes.
func TestOverrideOfNothing(t *testing.T) {
	for name, machine := range goldenMachines() {
		m := machine(t)
		if len(m.Overrides) > 0 {
			continue
		}
		plain := yamlOf(t, render(t, m))
		m.Overrides = []*source.Node{tree(t, "vms.yaml", "{}")}
		require.Equal(t, plain, yamlOf(t, render(t, m)), name)
	}
}
