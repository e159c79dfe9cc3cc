package status

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// changeFacts returns the changes of a VM that its running instance has not taken up:
// those that need a restart, those that wait for it, and those of the next start. What the
// instance was started with is in a ControllerRevision; what has gone live since is in the
// instance.
func (p *reader) changeFacts(s *impact.Subject) []Fact {
	if s.IsPool() || s.Live.Running != cluster.Yes {
		return nil
	}
	if s.Live.Instance == nil {
		return flagged(s, nil, nil, "which fields it is about: the state in the cluster lacks its instance")
	}
	started, isRevision := p.Live.Started(s.Live)
	open := ""
	if !isRevision {
		open = "what the VM was started with: the state in the cluster lacks its ControllerRevision"
	}
	var found waits
	for _, c := range startChanges(started, s.Live.Object) {
		found.add(p, s, started, &c)
	}
	out := flagged(s, found.restart, found.arrived, open)
	return append(out, found.others(s, open)...)
}

// startChanges returns the changes since the start to what an instance is created from.
// The revision has the names of the revisions of instance types, which the VM has only
// in its status.
func startChanges(started, vm manifest.Tree) []diff.Change {
	out := diff.Trees(manifest.Tree{"spec": started["spec"]}, manifest.Tree{"spec": vm["spec"]})
	return slices.DeleteFunc(out, func(c diff.Change) bool {
		last := c.Path[len(c.Path)-1]
		return last == "revisionName" || last == "creationTimestamp"
	})
}

// waits are the changes that an instance has not taken up, by what they wait for.
type waits struct {
	restart, held, staged, live []impact.FieldStatus
	// arrived are those that KubeVirt compares with the start although the instance has them.
	arrived []impact.FieldStatus
}

// add checks one change since the start by the rules of plan.
func (w *waits) add(p *reader, s *impact.Subject, started manifest.Tree, c *diff.Change) {
	e := &impact.Edit{Change: *c, Subject: &impact.Subject{
		ID: s.ID, Old: started, New: s.Live.Object, Cluster: p.Cluster, State: p.Live, Live: s.Live, Disks: s.Disks,
	}}
	r, n := impact.Find(impact.MachineRules(), e)
	if r == nil || r.Level < impact.Live || !r.OfInstance() {
		return
	}
	cause := r.Cause(e, n)
	f := impact.FieldStatus{Path: cause.Path, Key: cause.Key, Is: cause.Old, Wanted: cause.New}
	asks := s.Live.RestartRequired
	switch {
	case r.Path == "spec.instancetype.**" || r.Path == "spec.preference.**":
		if asks { // KubeVirt compares what they expand to
			w.restart = append(w.restart, f)
		}
	case hasArrived(s.Live.Instance, c):
		if asks && (r.Compared || isNIC(c.Path)) {
			w.arrived = append(w.arrived, f)
		}
	case r.Level >= impact.Restart && r.Level != impact.Power:
		w.restart = append(w.restart, f)
	case r.Level == impact.Staged:
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
func hasArrived(instance manifest.Tree, c *diff.Change) bool {
	if len(c.Path) < 3 || c.Path[1] != "template" || c.Path[len(c.Path)-1] == diff.Order {
		return false
	}
	has := manifest.At(instance, c.Path[2:]...)
	if c.Now == nil {
		return has == nil
	}
	return diff.Equal(c.Path, cluster.Within(has, c.Now, nil), c.Now)
}

// flagged returns the fact that a VM waits for a restart: with the fields that do, or
// without any, if KubeVirt asks for one nevertheless.
func flagged(s *impact.Subject, fields, arrived []impact.FieldStatus, open string) []Fact {
	fields, arrived = impact.CompactFields(fields), impact.CompactFields(arrived)
	f := Fact{
		State: StateRestart, Code: FactRestart, Fields: fields, Advice: impact.RestartAdvice(s.Live.Object),
		Approximate: open,
	}
	switch {
	case len(fields) > 0:
		f.Says = "waits for a restart: " + impact.LabelsOf(fields)
		if !s.Live.RestartRequired {
			f.Says += " (KubeVirt does not report it)"
		}
	case !s.Live.RestartRequired:
		return nil
	case s.Live.Instance == nil:
		f.Says = "waits for a restart" + wording.Because(s.Live.Why)
	case s.Cluster.KeepsRestart():
		f.Code, f.Fields, f.Advice = FactSticky, arrived, s.Cluster.Clears()
		f.Says = "has the condition RestartRequired, but nothing differs any longer: this KubeVirt keeps the condition, " +
			"and holds live changes back, until a restart"
	case len(arrived) > 0:
		f.Code, f.Fields, f.Advice = FactFalse, arrived, falseAdvice(arrived)
		f.Says = "has the condition RestartRequired for changes that are already in effect: " + impact.LabelsOf(arrived) +
			"; until a restart, KubeVirt holds live changes back"
	default:
		f.Says = "waits for a restart" + wording.Because(s.Live.Why) +
			"; none of its fields differs from those it was started with"
		f.Code = FactFalse
	}
	return []Fact{f}
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
func falseAdvice(fields []impact.FieldStatus) string {
	var known []string
	for _, k := range knownFalse {
		isIt := slices.ContainsFunc(fields, func(f impact.FieldStatus) bool { return strings.HasPrefix(f.Path, k.path) })
		if isIt && !slices.Contains(known, k.source) {
			known = append(known, k.source)
		}
	}
	if known == nil {
		return impact.AdviceRestart
	}
	return impact.AdviceRestart + "; KubeVirt is known to request unnecessary restarts here: " + strings.Join(known, ", ")
}

// others returns the facts about changes that need no restart and have not arrived.
func (w *waits) others(s *impact.Subject, open string) []Fact {
	var out []Fact
	add := func(state State, code FactCode, says, advice string, fields []impact.FieldStatus) {
		if fields = impact.CompactFields(fields); len(fields) > 0 {
			out = append(out, Fact{
				State: state, Code: code, Says: says + impact.LabelsOf(fields), Fields: fields, Advice: advice, Approximate: open,
			})
		}
	}
	add(StateStaged, FactHeldBack, "KubeVirt holds back until that restart: ", impact.AdviceRestart, w.held)
	add(StateStaged, FactStaged, "takes effect at the next start: ", "restart the VM if it needs it now", w.staged)
	if s.Live.IsChanging() {
		add(StateUnderWay, FactUnderWay, "is being changed while it runs: ", "", w.live)
	} else {
		add(StateStaged, FactStaged, "has not taken up while it runs: ",
			"migrate the VM (virtctl migrate), or restart it", w.live)
	}
	if len(out) == 0 && s.Live.IsChanging() {
		says := "is being changed while it runs: " + strings.Join(s.Live.Changing(), ", ")
		out = append(out, Fact{State: StateUnderWay, Code: FactUnderWay, Says: says})
	}
	return out
}
