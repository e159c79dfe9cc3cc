package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

func TestOverrideProblems(t *testing.T) {
	const spec = "spec: {template: {spec: "
	tests := map[string]struct {
		override string
		want     []string
	}{
		"unknown key": {
			spec + "{domain: {cpu: {core: 2}}}}}",
			[]string{`vms.yaml:1:41: vms.web01.overrides.spec.template.spec.domain.cpu.core: unknown key "core"; did you mean "cores"?`},
		},
		"unknown key in the template's metadata": {
			"spec: {template: {metadata: {label: {a: b}}}}",
			[]string{`vms.yaml:1:30: vms.web01.overrides.spec.template.metadata.label: unknown key "label"; did you mean "labels"?`},
		},
		"wrong type": {
			spec + "{domain: {cpu: {cores: four}}}}}",
			[]string{`vms.yaml:1:48: vms.web01.overrides.spec.template.spec.domain.cpu.cores: wrong type: got the string "four", expected an integer`},
		},
		"bad quantity": {
			spec + "{domain: {memory: {guest: sixteen}}}}}",
			[]string{`vms.yaml:1:51: vms.web01.overrides.spec.template.spec.domain.memory.guest: "sixteen" is not a quantity; ` +
				`write a number with or without a unit, such as 500m, 4 or 16Gi`},
		},
		"too little memory": {
			spec + "{domain: {memory: {guest: 1Ki}}}}}",
			[]string{`vms.yaml:1:51: vms.web01.overrides.spec.template.spec.domain.memory.guest: too little for any guest; expected a quantity such as "4Gi"`},
		},
		"no cores": {
			spec + "{domain: {cpu: {cores: 0}}}}}",
			[]string{`vms.yaml:1:48: vms.web01.overrides.spec.template.spec.domain.cpu.cores: 0 is no number of cores; expected at least 1`},
		},
		"volume without disk": {
			spec + "{volumes: [{name: rootdisk, persistentVolumeClaim: {claimName: web01}}, {name: x, emptyDisk: {capacity: 1Gi}}]}}}",
			[]string{`vms.yaml:1:35: vms.web01.overrides.spec.template.spec.volumes: "x": volume without a disk of that name`},
		},
		"disk without volume, but for an ejected CD-ROM": {
			spec + "{domain: {devices: {disks: [{name: rootdisk, disk: {}}, {name: x, disk: {}}, {name: tray, cdrom: {}}]}}}}}",
			[]string{`vms.yaml:1:52: vms.web01.overrides.spec.template.spec.domain.devices.disks: "x": disk without a volume of that name`},
		},
		"network without interface": {
			spec + "{networks: [{name: default, pod: {}}, {name: x, multus: {networkName: a/b}}]}}}",
			[]string{`vms.yaml:1:36: vms.web01.overrides.spec.template.spec.networks: "x": network without an interface of that name`},
		},
		"interface without network": {
			spec + "{networks: []}}}",
			[]string{`vms.yaml:1:25: vms.web01.overrides.spec.template.spec.domain.devices.interfaces: "default": interface without a network of that name`},
		},
		"secure boot without SMM": {
			spec + "{domain: {firmware: {bootloader: {efi: {}}}}}}}",
			[]string{"vms.yaml:1:64: vms.web01.overrides.spec.template.spec.domain.firmware.bootloader.efi: " +
				"secure boot, which is on unless `secureBoot: false`, needs `features: {smm: {enabled: true}}`"},
		},
		"duplicate names": {
			spec + "{volumes: [{name: rootdisk, persistentVolumeClaim: {claimName: web01}}, {name: rootdisk, emptyDisk: {capacity: 1Gi}}]}}}",
			[]string{`vms.yaml:1:35: vms.web01.overrides.spec.template.spec.volumes: "rootdisk": duplicate name`},
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
			[]string{`vms.yaml:1:7: vms.web01.overrides.spec: missing template`},
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
	tests := map[string]struct {
		patch values.Patch
		want  string
	}{
		"path that does not exist": {
			values.Patch{Op: "replace", Path: "/spec/nope/x", Value: tree(t, "vms.yaml", "1")},
			`vms.yaml:1:1: vms.web01.patches[1]: replace "/spec/nope/x": path does not exist`,
		},
		"remove what is not there": {
			values.Patch{Op: "remove", Path: "/spec/template/spec/hostname"},
			`vms.yaml:4:5: vms.web01.patches[1]: remove "/spec/template/spec/hostname": path does not exist`,
		},
		"move from nowhere": {
			values.Patch{Op: "move", From: "/spec/nope", Path: "/spec/running"},
			`vms.yaml:4:5: vms.web01.patches[1]: move "/spec/nope" to "/spec/running": path does not exist`,
		},
		"index beyond the list": {
			values.Patch{Op: "add", Path: "/spec/template/spec/volumes/9", Value: tree(t, "vms.yaml", "{name: x}")},
			`vms.yaml:1:1: vms.web01.patches[1]: add "/spec/template/spec/volumes/9": not an index of the list; expected a number within it, or "-" to append`,
		},
		"test that fails": {
			values.Patch{Op: "test", Path: "/spec/runStrategy", Value: tree(t, "vms.yaml", "Halted")},
			`vms.yaml:1:1: vms.web01.patches[1]: test "/spec/runStrategy": the value is another one`,
		},
		"no value": {
			values.Patch{Op: "add", Path: "/spec/template/spec/hostname"},
			"vms.yaml:4:5: vms.web01.patches[1]: add \"/spec/template/spec/hostname\": missing value; to drop a key, use `op: remove`",
		},
		"unknown key": {
			values.Patch{Op: "add", Path: "/spec/template/spec/hostnam", Value: tree(t, "vms.yaml", "a")},
			`vms.yaml:1:1: vms.web01.patches[1].spec.template.spec.hostnam: unknown key "hostnam"; did you mean "hostname"?`,
		},
		"ambiguous value": {
			values.Patch{Op: "add", Path: "/spec/template/spec/hostname", Value: tree(t, "vms.yaml", "yes")},
			`vms.yaml:1:1: vms.web01.patches[1].value: "yes" is a boolean in YAML 1.1; quote it: "yes"`,
		},
		"what KubeVirt accepts though it is wrong": {
			values.Patch{Op: "remove", Path: "/spec/template/spec/domain/devices/disks/0"},
			`vms.yaml:4:5: vms.web01.patches.spec.template.spec.volumes: "rootdisk": volume without a disk of that name`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.PatchPos = source.Pos{File: "vms.yaml", Line: 4, Col: 5}
			m.Patches = []values.Patch{{Op: "test", Path: "/kind", Value: tree(t, "vms.yaml", "VirtualMachine")}, test.patch}
			require.Equal(t, []string{test.want}, problems(t, m))
		})
	}
}

// What patches leave as the overrides made it is the overrides' problem; what
// they mend is none.
func TestPatchesAfterOverrides(t *testing.T) {
	m := linuxMachine(t)
	m.PatchPos = source.Pos{File: "vms.yaml", Line: 4, Col: 5}
	m.Overrides = []*source.Node{tree(t, "vms.yaml", "{kind: VM, spec: {template: {spec: {networks: []}}}}\n")}
	m.Patches = []values.Patch{
		{Op: "replace", Path: "/kind", Value: tree(t, "vms.yaml", "VirtualMachine")},
		{Op: "replace", Path: "/metadata/name", Value: tree(t, "vms.yaml", "web02")},
	}
	require.Equal(t, []string{
		`vms.yaml:1:36: vms.web01.overrides.spec.template.spec.domain.devices.interfaces: "default": interface without a network of that name`,
		"vms.yaml:4:5: vms.web01.patches.metadata.name: must not be changed; rename the VM instead",
	}, problems(t, m))
}

// Overrides change the VirtualMachine and nothing else.
func TestOverridesComeLast(t *testing.T) {
	m := linuxMachine(t)
	plain := yamlOf(t, render(t, m)[:1])
	m.Overrides = []*source.Node{tree(t, "vms.yaml", "{metadata: {annotations: {argocd.argoproj.io/sync-wave: \"7\"}}, spec: {runStrategy: Halted}}")}
	m.Patches = []values.Patch{{Op: "replace", Path: "/spec/runStrategy", Value: tree(t, "vms.yaml", "Manual")}}
	objects := render(t, m)
	require.Equal(t, plain, yamlOf(t, objects[:1]))
	vm := yamlOf(t, objects[1:])
	require.Contains(t, vm, "runStrategy: Manual\n")
	require.Contains(t, vm, `argocd.argoproj.io/sync-wave: "7"`)
}

// An override that changes nothing gives the same bytes.
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
