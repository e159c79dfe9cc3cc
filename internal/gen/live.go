package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed live.md.tmpl
var liveTemplate string

// judgedDir has the verdicts of KubeVirt's own controllers: of the version that the tests are built with, and below it
// those of other versions that differ.
const judgedDir = "test/impact/testdata"

// fullyJudged returns the version of KubeVirt that has all verdicts, such as "1.8.4".
func fullyJudged() (string, error) {
	version, err := component{mod: "test/impact/judge/go.mod", module: "kubevirt.io/kubevirt"}.version()
	return strings.TrimPrefix(version, "v"), err
}

// liveChange is a change that the owner of a VM makes.
type liveChange struct {
	what, how string // in the owner's words, and as the keys of an entry
	trial     string // the same edit of a running VM as the verdicts name it
}

// liveSection is the changes of one part of a VM.
type liveSection struct {
	title   string
	changes []liveChange
}

// newNIC and newDisk are edits of two lists.
const (
	newNIC = `linux running | ~~.devices.interfaces[+] = {name: new, model: virtio, macAddress: "02:a1:b2:00:00:09", bridge: {}} ; ` +
		`~.networks[+] = {name: new, multus: {networkName: lab/new}}`
	newDisk = "linux running | ~~.devices.disks[+] = {name: more, disk: {bus: %s}} ; ~.volumes[+] = {name: more, persistentVolumeClaim: {claimName: more%s}}"
)

// liveSections are what the page lists.
var liveSections = []liveSection{
	{"Size", []liveChange{
		{"more CPUs, up to four times those of the last start", "`cpu`, `flavor`", "linux running | ~~.cpu.sockets = 3"},
		{"more CPUs than that", "`cpu`, `flavor`", "linux running | ~~.cpu.sockets = 9"},
		{"fewer CPUs", "`cpu`, `flavor`", "linux running | ~~.cpu.sockets = 1"},
		{"cores instead of sockets", "`cpu.cores`", "linux running | ~~.cpu.cores = 3"},
		{"another CPU model", "`cpu.model`", "linux running | ~~.cpu.model = Skylake-Server"},
		{"more memory, up to four times that of the last start", "`memory`, `flavor`", "linux running | ~~.memory.guest = 6Gi"},
		{"more memory than that", "`memory`, `flavor`", "linux running | ~~.memory.guest = 64Gi"},
		{"less memory than at the last start", "`memory`, `flavor`", "linux running | ~~.memory.guest = 1Gi"},
		{"another limit for growth", "`memory.max`", "linux running | ~~.memory.maxGuest = 32Gi"},
	}},
	{"Disks", []liveChange{
		{"a new disk", "`disks.NAME`, with `hotpluggable: true` of the disk or of the VM", fmt.Sprintf(newDisk, "scsi", ", hotpluggable: true")},
		{"a new disk without hotplug", "`disks.NAME`", fmt.Sprintf(newDisk, "virtio", "")},
		{"a hotpluggable disk is removed", "`disks.NAME: null`", "linux running | ~~.devices.disks[plug] - ; ~.volumes[plug] -"},
		{"another cache mode", "`disks.NAME.cache`", "linux running | ~~.devices.disks[rootdisk].cache = none"},
		{"another boot order", "`disks.NAME.bootOrder`", "linux running | ~~.devices.disks[rootdisk].bootOrder = 2"},
	}},
	{"Network", []liveChange{
		{"a new NIC on a bridge", "`nics`", newNIC},
		{"the link of a NIC", "`nics[].state: down`", "linux running | ~~.devices.interfaces[vlan].state = down"},
		{"a NIC is unplugged", "`nics[].state: absent`", "linux running | ~~.devices.interfaces[vlan].state = absent"},
		{"a NIC on another network, before 1.9 without feature gate LiveUpdateNADRef", "`nics[].network`", "linux running | ~.networks[vlan].multus.networkName = lab/other"},
		{"another MAC address", "`nics[].mac`", `linux running | ~~.devices.interfaces[vlan].macAddress = "02:a1:b2:00:00:02"`},
	}},
	{"Placement", []liveChange{
		{"other nodes", "`nodeSelector`", "linux running | ~.nodeSelector = {zone: b}"},
		{"tolerations", "`tolerations`", "linux running | ~.tolerations = [{key: gpu, operator: Exists}]"},
		{"topology spread constraints", "`topologySpreadConstraints`", "linux running | ~.topologySpreadConstraints = [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]"},
		{"priority class", "`priorityClassName`", "linux running | ~.priorityClassName = low"},
		{"eviction strategy", "`evictionStrategy`", "linux running | ~.evictionStrategy = None"},
	}},
	{"The rest", []liveChange{
		{"labels and annotations of the VirtualMachine", "`annotations`", "linux running | metadata.labels.tier = front"},
		{"labels of pods", "`labels`, `podLabels`, `podAnnotations`", "linux running | spec.template.metadata.labels.tier = front"},
		{"host name", "`hostname`", "linux running | ~.hostname = other"},
		{"grace period", "`terminationGracePeriodSeconds`", "linux running | ~.terminationGracePeriodSeconds = 60"},
		{"probes", "`readinessProbe`, `livenessProbe`", "linux running | ~.readinessProbe.periodSeconds = 20"},
		{"credentials of the guest agent", "`cloudInit.sshKeySecret`: another Secret", "linux running | ~.accessCredentials[0].sshPublicKey.source.secret.secretName = others"},
		{"data for the first boot within the VirtualMachine", "`cloudInit` with `store: inline`", `linux running | ~.volumes[cloudinitdisk].cloudInitNoCloud.userData = "#cloud-config\nuser: other\n"`},
		{"machine type", "`machineType`", "linux running | ~~.machine.type = pc-q35-rhel9.8.0"},
		{"secure boot", "`firmware`", "linux running | ~~.firmware.bootloader.efi.secureBoot = false"},
		{"a TPM", "`tpm`", "linux running | ~~.devices.tpm = {}"},
	}},
}

// liveReference returns docs/reference/live-changes.md, from what KubeVirt's own controllers did.
func liveReference() ([]byte, error) {
	base, err := fullyJudged()
	if err != nil {
		return nil, err
	}
	versions, verdicts, err := judgedVersions(base)
	if err != nil {
		return nil, err
	}
	type section struct {
		Title string
		Rows  [][]string
	}
	var sections []section
	for _, s := range liveSections {
		out := section{Title: s.title}
		for _, c := range s.changes {
			row := []string{c.what, c.how}
			for _, version := range versions {
				level := verdicts[version][c.trial]
				if level == "" {
					level = verdicts[base][c.trial]
				}
				if level == "" {
					return nil, fmt.Errorf("no verdict on %q", c.trial)
				}
				row = append(row, level)
			}
			out.Rows = append(out.Rows, row)
		}
		sections = append(sections, out)
	}
	return execute("live-changes.md", liveTemplate, map[string]any{"Versions": versions, "Sections": sections})
}

// judgedVersions returns the versions, oldest first, and the levels of each by trial. That with all verdicts is base.
func judgedVersions(base string) ([]string, map[string]map[string]string, error) {
	files, err := filepath.Glob(judgedDir + "/*/verdicts.txt")
	if err != nil {
		return nil, nil, err
	}
	verdicts := map[string]map[string]string{}
	for _, file := range append(files, judgedDir+"/verdicts.txt") {
		version := filepath.Base(filepath.Dir(file))
		if filepath.Dir(file) == judgedDir {
			version = base
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		verdicts[version] = levels(string(text))
	}
	return slices.Sorted(maps.Keys(verdicts)), verdicts, nil
}

// levels returns the levels by trial in a cluster where KubeVirt makes all changes that it can while VMs run.
func levels(text string) map[string]string {
	out := map[string]string{}
	trial := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		clusters, verdict, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case !strings.HasPrefix(line, " "):
			trial = line
		case slices.Contains(strings.Split(clusters, ","), "hotplug"):
			out[trial], _, _ = strings.Cut(verdict, ";")
		}
	}
	return out
}
