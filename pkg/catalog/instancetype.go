package catalog

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// tuned are the annotations that CRI-O reads of pods whose CPUs must not be disturbed.
var tuned = map[string]any{
	"cpu-load-balancing.crio.io": "disable", "cpu-quota.crio.io": "disable", "irq-load-balancing.crio.io": "disable",
}

// seriesFields are what the instance types of a series have in addition to what a flavor has, by series.
var seriesFields = map[string]map[string]any{
	"cx1": {"ioThreadsPolicy": "auto"}, "d1": {"ioThreadsPolicy": "auto"},
	"n1": {"annotations": tuned}, "rt1": {"annotations": tuned},
}

// overcommitted is the overcommitPercent of the series o1.
const overcommitted = "50"

// spreading are the common preferences that do not make every CPU a socket.
var spreading = []string{"dpdk", "realtime"}

// Installed returns the `spec` of an instance type or a preference of the cluster that KubeVirt installs, by its kind
// and name; see [Instancetype] and [Preference]. It is nil for others.
func Installed(kind, _, name string) map[string]any {
	switch kind {
	case "VirtualMachineClusterInstancetype":
		return Instancetype(name)
	case "VirtualMachineClusterPreference":
		return Preference(name)
	}
	return nil
}

// Instancetype returns the `spec` of a VirtualMachineClusterInstancetype that KubeVirt installs, as JSON has it; nil
// for others (kubevirt/common-instancetypes 7c1e305, as in KubeVirt v1.8.4).
func Instancetype(name string) map[string]any {
	series, _, dotted := strings.Cut(name, ".")
	flavor := builtin("flavors").get(name)
	if !dotted || flavor == nil {
		return nil
	}
	out := maps.Clone(seriesFields[series])
	if out == nil {
		out = map[string]any{}
	}
	out["cpu"], out["memory"] = instancetypeCPU(flavor.Get("cpu")), instancetypeMemory(flavor.Get("memory"))
	if series == "o1" {
		out["memory"].(map[string]any)["overcommitPercent"] = json.Number(overcommitted)
	}
	return out
}

func instancetypeCPU(cpu *source.Node) map[string]any {
	out := map[string]any{"guest": json.Number(strconv.Itoa(vcpus(cpu)))}
	if most := cpu.Get("maxSockets"); most != nil {
		out["maxSockets"] = json.Number(most.Text)
	}
	for key, field := range map[string]string{
		"dedicated": "dedicatedCPUPlacement", "isolateEmulator": "isolateEmulatorThread",
	} {
		if cpu.Get(key) != nil {
			out[field] = true
		}
	}
	if cpu.Get("numa") != nil {
		out["numa"] = map[string]any{"guestMappingPassthrough": map[string]any{}}
	}
	if cpu.Get("realtime") != nil {
		out["realtime"] = map[string]any{}
	}
	return out
}

func instancetypeMemory(memory *source.Node) map[string]any {
	guest := memory
	if long := memory.Get("guest"); long != nil {
		guest = long
	}
	out := map[string]any{"guest": guest.Text}
	if pages := memory.Get("hugepages"); pages != nil {
		out["hugepages"] = map[string]any{"pageSize": pages.Text}
	}
	return out
}

// Preference returns the part of the `spec` of a VirtualMachineClusterPreference that KubeVirt installs which says how
// it makes CPUs of an instance type: nothing for those that make each a socket. It is nil for others.
func Preference(name string) map[string]any {
	family, rest, _ := strings.Cut(name, ".")
	for _, other := range spreading {
		if strings.HasSuffix(rest, other) {
			return nil
		}
	}
	if !commonFamilies[family] {
		return nil
	}
	return map[string]any{}
}

// commonFamilies are the first parts of the names of common preferences.
var commonFamilies = map[string]bool{
	"alpine": true, "centos": true, "cirros": true, "debian": true, "fedora": true, "legacy": true, "linux": true,
	"opensuse": true, "oraclelinux": true, "rhel": true, "sles": true, "ubuntu": true, "windows": true,
}
