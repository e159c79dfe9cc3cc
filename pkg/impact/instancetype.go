package impact

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// TypeLookup returns the `spec` of an instance type or a preference by its kind, its namespace, which is empty for
// those of the cluster, and its name; nil if it is not known.
type TypeLookup func(kind, namespace, name string) manifest.Tree

// MachineChanges returns what the changes of a VM do, each for itself. KubeVirt compares VMs with what their instance
// types contain written out (v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRestartRequired), and so does this, if it
// is known on both sides.
func MachineChanges(s *Subject) []Finding {
	written := s.writtenOut()
	if written == nil {
		return Findings(s, MachineRules(), Changes(s))
	}
	var own, typed []diff.Change
	for _, c := range Changes(written) {
		if manifest.At(s.Old, c.Path...) == nil && manifest.At(s.New, c.Path...) == nil {
			typed = append(typed, c)
		} else {
			own = append(own, c)
		}
	}
	isType := func(f Finding) bool { return f.Code == codeInstancetype }
	out := slices.DeleteFunc(Findings(written, MachineRules(), own), isType)
	for _, f := range Findings(written, MachineRules(), typed) {
		f.Key = Instancetype
		out = append(out, f)
	}
	return out
}

const (
	// codeInstancetype is that of an instance type whose content is not known.
	codeInstancetype Code = "instancetype"
)

// The fields in which a VM names its instance type and its preference.
const (
	Instancetype = "instancetype"
	Preference   = "preference"
)

// writtenOut returns the VM with what its instance types contain on both sides, or nil if they are the same, or one is
// not known.
func (s *Subject) writtenOut() *Subject {
	if s.TypeOf == nil || s.Old == nil || s.New == nil ||
		manifest.Compact(matcher(s.Old, Instancetype)) == manifest.Compact(matcher(s.New, Instancetype)) {
		return nil
	}
	old, known := s.written(s.Old)
	now, also := s.written(s.New)
	if !known || !also {
		return nil
	}
	out := *s
	out.Old, out.New = old, now
	return &out
}

func matcher(side manifest.Tree, field string) manifest.Tree {
	m, _ := manifest.At(side, "spec", field).(manifest.Tree)
	return m
}

// written returns a side with what its instance type contains, and whether it is known.
func (s *Subject) written(side manifest.Tree) (manifest.Tree, bool) {
	if matcher(side, Instancetype) == nil {
		return side, true
	}
	sizes, preferred := s.typeOf(side, Instancetype), manifest.Tree{}
	if matcher(side, Preference) != nil {
		preferred = s.typeOf(side, Preference)
	}
	if sizes == nil || preferred == nil || !makesSockets(preferred) {
		return nil, false
	}
	return applied(side, sizes), true
}

// NamedType returns the kind of the instance type or preference that a VM names in a field, its namespace, which is
// empty for those of the cluster, and its name; all are empty if it names none.
func NamedType(vm manifest.Tree, field string) (kind, namespace, name string) {
	what := map[string]string{Instancetype: "Instancetype", Preference: "Preference"}[field]
	m := matcher(vm, field)
	if name = manifest.Text(m, "name"); name == "" {
		return "", "", ""
	}
	kind, ofCluster := kinds.OfType(manifest.Text(m, "kind"), what)
	if ofCluster {
		return kind, "", name
	}
	return kind, manifest.Text(vm, "metadata", "namespace"), name
}

// typeOf returns the `spec` of the instance type or preference that a VM names in a field.
func (s *Subject) typeOf(side manifest.Tree, field string) manifest.Tree {
	return s.TypeOf(NamedType(side, field))
}

// makesSockets reports whether a preference makes every CPU of an instance type a socket (KubeVirt v1.8.4,
// pkg/instancetype/apply/cpu.go, applyGuestCPUTopology).
func makesSockets(preference manifest.Tree) bool {
	return slices.Contains([]string{"", "sockets", "preferSockets", "any", "preferAny"},
		manifest.Text(preference, "cpu", "preferredCPUTopology"))
}

// applied returns a VM with what an instance type contains (KubeVirt v1.8.4, pkg/instancetype/apply/vmi.go).
func applied(vm, sizes manifest.Tree) manifest.Tree {
	spec := copied(world.Spec(vm))
	domain := copied(spec["domain"])
	domain["cpu"], domain["memory"] = appliedCPU(domain, sizes), appliedMemory(domain, sizes)
	if percent := quantities.Count(manifest.At(sizes, "memory", "overcommitPercent"), 0); percent > 0 {
		guest := quantities.Size(manifest.At(sizes, "memory", "guest"))
		guest.Set(guest.Value() * int64(100-percent) / 100)
		domain["resources"] = merged(domain["resources"], manifest.Tree{"requests": manifest.Tree{"memory": guest.String()}})
	}
	devices := copied(domain["devices"])
	for field, into := range map[string]manifest.Tree{
		"ioThreadsPolicy": domain, "ioThreads": domain, "launchSecurity": domain, "gpus": devices, "hostDevices": devices,
		"schedulerName": spec, "nodeSelector": spec,
	} {
		if v := sizes[field]; v != nil {
			into[field] = v
		}
	}
	domain["devices"], spec["domain"] = devices, domain
	template := copied(manifest.At(vm, "spec", "template"))
	template["spec"] = spec
	if annotations := copied(sizes["annotations"]); len(annotations) > 0 {
		metadata := copied(template["metadata"])
		metadata["annotations"] = merged(annotations, copied(metadata["annotations"]))
		template["metadata"] = metadata
	}
	out := maps.Clone(vm)
	out["spec"] = merged(vm["spec"], manifest.Tree{"template": template})
	return out
}

func appliedCPU(domain, sizes manifest.Tree) manifest.Tree {
	one := json.Number("1")
	cpu := merged(domain["cpu"], manifest.Tree{"cores": one, "threads": one})
	of := copied(sizes["cpu"])
	cpu["sockets"] = json.Number(strconv.Itoa(quantities.Count(of["guest"], 1)))
	for from, to := range map[string]string{
		"model": "model", "dedicatedCPUPlacement": "dedicatedCpuPlacement", "isolateEmulatorThread": "isolateEmulatorThread",
		"numa": "numa", "realtime": "realtime", "maxSockets": "maxSockets",
	} {
		if v := of[from]; v != nil && v != false {
			cpu[to] = v
		}
	}
	return cpu
}

func appliedMemory(domain, sizes manifest.Tree) manifest.Tree {
	memory, of := copied(domain["memory"]), copied(sizes["memory"])
	for _, field := range []string{"guest", "maxGuest", "hugepages"} {
		if v := of[field]; v != nil {
			memory[field] = v
		}
	}
	return memory
}

// copied returns a copy of a tree, or an empty one.
func copied(v any) manifest.Tree { return merged(v, nil) }

// merged returns a copy of a tree with more fields.
func merged(v any, more manifest.Tree) manifest.Tree {
	out := manifest.Tree{}
	tree, _ := v.(manifest.Tree)
	maps.Copy(out, tree)
	maps.Copy(out, more)
	return out
}
