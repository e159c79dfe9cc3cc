package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/versions"
)

// changeFacts returns the changes of a VM that its running instance has not taken up:
// those that need a restart, those that wait for it, and those of the next start. What the
// instance was started with is in a ControllerRevision; what has gone live since is in the
// instance.
func (p *planner) changeFacts(s *subject) []Fact {
	if s.isPool() || s.live.running != yes {
		return nil
	}
	if s.live.instance == nil {
		return s.flagged(nil, nil, "which fields it is about: the state in the cluster lacks its instance")
	}
	started, isRevision := p.live.started(s.live)
	open := ""
	if !isRevision {
		open = "what the VM was started with: the state in the cluster lacks its ControllerRevision"
	}
	var found waits
	for _, c := range startChanges(started, s.live.object) {
		found.add(p, s, started, &c)
	}
	out := s.flagged(found.restart, found.arrived, open)
	return append(out, found.others(s, open)...)
}

// started returns the VM as its instance was started, and whether it is from the
// ControllerRevision that KubeVirt stores at the start (v1.8.4,
// pkg/virt-controller/watch/vm/vm.go, createVMRevision). Without one, it is what the instance
// has of the fields of the VM's template.
func (l *live) started(m *liveMachine) (vm tree, isRevision bool) {
	namespace := manifest.Text(m.object, "metadata", "namespace")
	name := manifest.Text(m.instance, "status", "virtualMachineRevisionName")
	revision := l.get(kindRevision, namespace, name)
	if spec, ok := manifest.At(revision, "data", "spec").(tree); ok {
		return tree{"spec": spec}, true
	}
	template, _ := manifest.At(m.object, "spec", "template").(tree)
	was, _ := within(tree{"spec": m.instance["spec"]}, template, nil).(tree)
	own, _ := m.object["spec"].(tree)
	spec := without(own, "template")
	spec["template"] = was
	if metadata := template["metadata"]; metadata != nil {
		was["metadata"] = within(m.instance["metadata"], metadata, nil)
	}
	return tree{"spec": spec}, false
}

const kindRevision = "ControllerRevision.apps"

// startChanges returns the changes since the start to what an instance is created from.
// The revision has the names of the revisions of instance types, which the VM has only
// in its status.
func startChanges(started, vm tree) []change {
	out := diff(tree{"spec": started["spec"]}, tree{"spec": vm["spec"]})
	return slices.DeleteFunc(out, func(c change) bool {
		last := c.path[len(c.path)-1]
		return last == "revisionName" || last == "creationTimestamp"
	})
}

// waits are the changes that an instance has not taken up, by what they wait for.
type waits struct {
	restart, held, staged, live []FieldStatus
	// arrived are those that KubeVirt compares with the start although the instance has them.
	arrived []FieldStatus
}

// add checks one change since the start by the rules of plan.
func (w *waits) add(p *planner, s *subject, started tree, c *change) {
	e := &edit{*c, &subject{
		id: s.id, old: started, new: s.live.object, cluster: p.cluster, state: p.live, live: s.live, disks: s.disks,
	}}
	r, n := find(machineRules(), e)
	if r == nil || r.Level < Live || !r.ofInstance() {
		return
	}
	cause := r.cause(e, n)
	f := FieldStatus{Path: cause.Path, Key: cause.Key, Is: cause.Old, Wanted: cause.New}
	asks := s.live.restartRequired
	switch {
	case r.Path == "spec.instancetype.**" || r.Path == "spec.preference.**":
		if asks { // KubeVirt compares what they expand to
			w.restart = append(w.restart, f)
		}
	case hasArrived(s.live.instance, c):
		if asks && (r.Compared || isNIC(c.path)) {
			w.arrived = append(w.arrived, f)
		}
	case r.Level >= Restart && r.Level != Power:
		w.restart = append(w.restart, f)
	case r.Level == Staged:
		w.staged = append(w.staged, f)
	case r.Handled && asks:
		w.held = append(w.held, f)
	default:
		w.live = append(w.live, f)
	}
}

// isNIC reports whether a field is one of NICs or networks.
func isNIC(path []string) bool {
	s := strings.Join(path, ".")
	return strings.HasPrefix(s, "spec.template.spec.networks") ||
		strings.HasPrefix(s, "spec.template.spec.domain.devices.interfaces")
}

// hasArrived reports whether the instance has a field as the VM has it. It has fields
// of its own, too, which the platform fills in.
func hasArrived(instance tree, c *change) bool {
	if len(c.path) < 3 || c.path[1] != "template" || c.path[len(c.path)-1] == order {
		return false
	}
	has := manifest.At(instance, c.path[2:]...)
	if c.now == nil {
		return has == nil
	}
	return equal(c.path, within(has, c.now, nil), c.now)
}

// flagged returns the fact that a VM waits for a restart: with the fields that do, or
// without any, if KubeVirt asks for one nevertheless.
func (s *subject) flagged(fields, arrived []FieldStatus, open string) []Fact {
	fields, arrived = compactFields(fields), compactFields(arrived)
	f := Fact{State: StateRestart, Code: FactRestart, Fields: fields, Advice: adviceRestart, Approximate: open}
	switch {
	case len(fields) > 0:
		f.Says = "waits for a restart: " + labelsOf(fields)
		if !s.live.restartRequired {
			f.Says += " (KubeVirt does not report it)"
		}
	case !s.live.restartRequired:
		return nil
	case s.live.instance == nil:
		f.Says = "waits for a restart" + because(s.live.why)
	case s.cluster.keepsRestart():
		f.Code, f.Fields, f.Advice = FactSticky, arrived, s.cluster.clears()
		f.Says = "has the condition RestartRequired, but nothing differs any longer: this KubeVirt keeps the condition, " +
			"and holds live changes back, until a restart"
	case len(arrived) > 0:
		f.Code, f.Fields, f.Advice = FactFalse, arrived, falseAdvice(arrived)
		f.Says = "has the condition RestartRequired for changes that are already in effect: " + labelsOf(arrived) +
			"; until a restart, KubeVirt holds live changes back"
	default:
		f.Says = "waits for a restart" + because(s.live.why) + "; none of its fields differs from those it was started with"
		f.Code = FactFalse
	}
	return []Fact{f}
}

// keepsRestart reports whether a KubeVirt keeps a VM's need of a restart after a revert
// (before v1.6.6 and v1.7.3, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded).
func (c Cluster) keepsRestart() bool {
	v := versions.Parse(c.KubeVirt)
	return v.Before(versions.Version{1, 6, 6}) || !v.Before(versions.Version{1, 7}) && v.Before(versions.Version{1, 7, 3})
}

// knownFalse are the fields for which KubeVirt requests a restart although the instance has
// them, with where it is known from.
var knownFalse = []struct{ path, source string }{
	{"spec.template.spec.domain.memory.maxGuest", "https://github.com/kubevirt/kubevirt/issues/17610"},
	{"spec.template.spec.domain.cpu.model", "https://github.com/kubevirt/kubevirt/issues/17610"},
	{"spec.template.spec.domain.devices.interfaces", "https://github.com/kubevirt/kubevirt/issues/18955 and 15881"},
	{"spec.template.spec.networks", "https://github.com/kubevirt/kubevirt/issues/18955 and 15881"},
}

// falseAdvice names the known faults of KubeVirt that fields are about.
func falseAdvice(fields []FieldStatus) string {
	var known []string
	for _, k := range knownFalse {
		isIt := slices.ContainsFunc(fields, func(f FieldStatus) bool { return strings.HasPrefix(f.Path, k.path) })
		if isIt && !slices.Contains(known, k.source) {
			known = append(known, k.source)
		}
	}
	if known == nil {
		return adviceRestart
	}
	return adviceRestart + "; KubeVirt is known to request unnecessary restarts here: " + strings.Join(known, ", ")
}

// others returns the facts about changes that need no restart and have not arrived.
func (w *waits) others(s *subject, open string) []Fact {
	var out []Fact
	add := func(state State, code FactCode, says, advice string, fields []FieldStatus) {
		if fields = compactFields(fields); len(fields) > 0 {
			out = append(out, Fact{
				State: state, Code: code, Says: says + labelsOf(fields), Fields: fields, Advice: advice, Approximate: open,
			})
		}
	}
	add(StateStaged, FactHeldBack, "KubeVirt holds back until that restart: ", adviceRestart, w.held)
	add(StateStaged, FactStaged, "takes effect at the next start: ", "restart the VM if it needs it now", w.staged)
	if s.live.isChanging() {
		add(StateUnderWay, FactUnderWay, "is being changed while it runs: ", "", w.live)
	} else {
		add(StateStaged, FactStaged, "has not taken up while it runs: ",
			"migrate the VM (virtctl migrate), or restart it", w.live)
	}
	if len(out) == 0 && s.live.isChanging() {
		says := "is being changed while it runs: " + strings.Join(s.live.changing(), ", ")
		out = append(out, Fact{State: StateUnderWay, Code: FactUnderWay, Says: says})
	}
	return out
}

// changing returns what KubeVirt is changing in a running VM, by the conditions of its
// instance (v1.9.0, api/core/v1/types.go, VirtualMachineInstanceConditionType).
func (m *liveMachine) changing() []string {
	var out []string
	for _, c := range []struct{ condition, key string }{
		{"HotVCPUChange", "cpu"}, {"HotMemoryChange", "memory"}, {"VolumesChange", "disks"}, {"MigrationRequired", "nics"},
	} {
		if is(m.instance, c.condition) == yes {
			out = append(out, c.key)
		}
	}
	if m.copiesVolumes() && !slices.Contains(out, "disks") {
		out = append(out, "disks")
	}
	return out
}

// copiesVolumes reports whether KubeVirt copies volumes of the VM to other claims, or is about to. It
// notes so on the VM before the instance has a condition, and removes the note at the end (v1.8.4,
// pkg/virt-controller/watch/vm/vm.go). The note also stays if an instance started from the other
// claims because its first ones could not be filled, until KubeVirt's next copy.
func (m *liveMachine) copiesVolumes() bool {
	return len(manifest.List(m.object, "status", "volumeUpdateState", "volumeMigrationState", "migratedVolumes")) > 0
}

func (m *liveMachine) isChanging() bool { return len(m.changing()) > 0 }
