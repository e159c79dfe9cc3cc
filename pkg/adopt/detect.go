package adopt

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Related is what is known of a VM in addition to its VirtualMachine.
type Related struct {
	Instance manifest.Tree   // its VirtualMachineInstance, or nil
	Disks    []manifest.Tree // DataVolumes and PersistentVolumeClaims that it uses, in its order
}

// Guess is the operating system of a VM, as far as its objects show it.
type Guess struct {
	OS     string // an entry of the built-in catalog; "linux" or "windows" if no other fits
	Reason string // in words, such as "os from vm.kubevirt.io/os"
}

// DetectOS returns the operating system of a VirtualMachine: what the strongest evidence
// names, and if that leaves a choice, what the next one that names one of these selects. The
// devices decide for a VM of which nothing else does.
func DetectOS(vm manifest.Tree, related Related) Guess {
	var best spelling
	var from string
	for _, e := range evidences {
		for _, text := range e.find(vm, related) {
			s, ok := spelled(text)
			if ok && e.isOurs && s.entry == text {
				return Guess{s.entry, e.reason()}
			}
			if ok && (best.entry == "" || best.allows(s.entry) && s.within == "") {
				best, from = s, e.reason()
			}
		}
	}
	if best.entry == "" {
		return fromDevices(vm, related)
	}
	return Guess{best.entry, from}
}

// evidence is a place where an operating system is named.
type evidence struct {
	from   string // in words
	find   func(vm tree, related Related) []string
	isOurs bool // vmrender writes the name of its entry there
}

func (e *evidence) reason() string { return "os from " + e.from }

// evidences are the places, the strongest first. VMs that forklift has migrated have
// a label of templates or a preference (pkg/controller/plan/adapter/vsphere/builder.go,
// TemplateLabels), and an empty vm.kubevirt.io/os (pkg/controller/plan/kubevirt.go).
var evidences = []evidence{
	{from: "vm.kubevirt.io/os", find: marks("vm.kubevirt.io/os"), isOurs: true},
	{from: "the label os.template.kubevirt.io", find: suffixes("os.template.kubevirt.io/")},
	{from: "the template's name", find: marks("vm.kubevirt.io/template")},
	{from: "kubevirt.io/os", find: marks("kubevirt.io/os")},
	{from: "harvesterhci.io/os", find: marks("harvesterhci.io/os")},
	{from: "the preference", find: preferences},
	{from: "the DataSource of a disk", find: ofSources(
		[]string{"sourceRef", "name"}, []string{"source", "pvc", "name"}, []string{"source", "snapshot", "name"})},
	{from: "the image of a disk", find: images},
	{from: "the name of libosinfo", find: osinfo},
	{from: "the image of Harvester", find: harvesterImages},
	{from: "the guest agent", find: guestAgent},
}

// markings returns the labels and annotations of a VM, and of its template.
func markings(vm tree) []tree {
	template := manifest.At(vm, "spec", "template")
	return []tree{
		manifest.Map(vm, "metadata", "annotations"), manifest.Map(vm, "metadata", "labels"),
		manifest.Map(template, "metadata", "annotations"), manifest.Map(template, "metadata", "labels"),
	}
}

// marks finds the values of a label or annotation.
func marks(key string) func(tree, Related) []string {
	return func(vm tree, _ Related) []string {
		return allText(markings(vm), key)
	}
}

// suffixes finds what follows a prefix in the keys of labels and annotations, sorted.
func suffixes(prefix string) func(tree, Related) []string {
	return func(vm tree, _ Related) []string {
		var out []string
		for _, m := range markings(vm) {
			for _, key := range slices.Sorted(maps.Keys(m)) {
				if name, ok := strings.CutPrefix(key, prefix); ok {
					out = append(out, name)
				}
			}
		}
		return out
	}
}

// preferences finds the preference of a VM, also one that KubeVirt has inferred, and those
// that its disks propose (kubevirt.io/api instancetype/register.go).
func preferences(vm tree, related Related) []string {
	proposed := allText(disksOf(vm, related), "metadata", "labels", "instancetype.kubevirt.io/default-preference")
	own := []string{manifest.Text(vm, "spec", "preference", "name"), manifest.Text(vm, "status", "preferenceRef", "name")}
	return append(filled(own), proposed...)
}

// disksOf returns the DataVolumes of a VM's templates and those related to it.
func disksOf(vm tree, related Related) []any {
	out := slices.Clone(manifest.List(vm, "spec", "dataVolumeTemplates"))
	for _, d := range related.Disks {
		out = append(out, d)
	}
	return out
}

// ofSources finds names in the specs of disks.
func ofSources(paths ...[]string) func(tree, Related) []string {
	return func(vm tree, related Related) []string {
		disks := disksOf(vm, related)
		out := make([]string, 0, len(disks)*len(paths))
		for _, d := range disks {
			for _, path := range paths {
				out = append(out, manifest.Text(manifest.At(d, "spec"), path...))
			}
		}
		return filled(out)
	}
}

// images finds the addresses of images: those that CDI imports, and container disks.
func images(vm tree, related Related) []string {
	containers := allText(manifest.List(vm, "spec", "template", "spec", "volumes"), "containerDisk", "image")
	imported := ofSources(
		[]string{"source", "registry", "url"}, []string{"source", "registry", "imageStream"},
		[]string{"source", "http", "url"}, []string{"source", "s3", "url"}, []string{"source", "gcs", "url"})
	return append(containers, imported(vm, related)...)
}

// osinfo finds names of libosinfo, such as http://fedoraproject.org/fedora/36.
func osinfo(vm tree, related Related) []string {
	out := suffixes("name.os.template.kubevirt.io/")(vm, related)
	for _, m := range markings(vm) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if strings.Contains(key, "osinfo") {
				out = append(out, manifest.Text(m, key))
			}
		}
	}
	return filled(out)
}

// harvesterImages finds the images that Harvester creates claims from: by its annotation, a
// list of claims as JSON text.
func harvesterImages(vm tree, related Related) []string {
	templates := manifest.Text(vm, "metadata", "annotations", "harvesterhci.io/volumeClaimTemplates")
	claims := manifest.List(manifest.Decode([]byte(`{"items": `+templates+`}`)), "items")
	disks := append(slices.Clone(claims), disksOf(vm, related)...)
	return allText(disks, "metadata", "annotations", "harvesterhci.io/imageId")
}

// guestAgent returns what the guest reports about itself.
func guestAgent(_ tree, related Related) []string {
	info := manifest.At(related.Instance, "status", "guestOSInfo")
	id := strings.TrimSpace(manifest.Text(info, "id") + " " + manifest.Text(info, "versionId"))
	return filled([]string{id, manifest.Text(info, "prettyName"), manifest.Text(info, "name")})
}

// traces are what is given to the VMs of one family only, the surest first.
var traces = []struct {
	os, from string
	isIn     func(instance any) bool // the spec of one
}{
	{"windows", "its answer file for Windows", hasVolume("sysprep")},
	{"windows", "its Hyper-V features", hasField("domain", "features", "hyperv")},
	{"windows", "its Hyper-V features", hasField("domain", "features", "hypervPassthrough")},
	{"windows", "its Hyper-V clock", hasField("domain", "clock", "timer", "hyperv")},
	{"linux", "its data for cloud-init", hasVolume("cloudInitNoCloud")}, // on Windows it is a ConfigDrive
	{"windows", "its SATA disks and e1000e NICs", func(instance any) bool {
		return hasDevice(instance, "disks", "sata", "disk", "bus") && hasDevice(instance, "interfaces", "e1000e", "model")
	}},
}

// fromDevices returns the system that a VM's devices are those of.
func fromDevices(vm tree, related Related) Guess {
	for _, t := range traces {
		if t.isIn(manifest.At(vm, "spec", "template", "spec")) || t.isIn(manifest.At(related.Instance, "spec")) {
			return Guess{t.os, "os from " + t.from}
		}
	}
	return Guess{"linux", "os from its devices, which are not those of Windows"}
}

func hasField(path ...string) func(any) bool {
	return func(instance any) bool { return manifest.At(instance, path...) != nil }
}

func hasVolume(kind string) func(any) bool {
	return func(instance any) bool {
		return slices.ContainsFunc(manifest.List(instance, "volumes"), hasField(kind))
	}
}

// hasDevice reports whether one of an instance's devices of a kind has a text in a field.
func hasDevice(instance any, kind, value string, field ...string) bool {
	return slices.Contains(allText(manifest.List(instance, "domain", "devices", kind), field...), value)
}

// allText returns the texts at a path in several trees, without empty ones.
func allText[T any](in []T, path ...string) []string {
	out := make([]string, 0, len(in))
	for _, v := range in {
		out = append(out, manifest.Text(v, path...))
	}
	return filled(out)
}

// filled returns the texts that are not empty.
func filled(in []string) []string {
	return slices.DeleteFunc(in, func(s string) bool { return s == "" })
}
