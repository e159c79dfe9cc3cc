package status

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Outcome is what a drain of a node does to a VM on it: a higher one is worse.
type Outcome uint8

// The outcomes, mildest first.
const (
	OutcomeMoves  Outcome = iota // live-migrates to another node
	OutcomeStops                 // is shut down
	OutcomeBlocks                // the drain waits for it
)

// outcomeNames are the names in output, in the order of the outcomes.
var outcomeNames = []string{"moves", "stops", "blocks"}

// Outcomes returns all outcomes, mildest first.
func Outcomes() []Outcome { return []Outcome{OutcomeMoves, OutcomeStops, OutcomeBlocks} }

// String returns the name, such as "blocks".
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText returns the name, as in [Outcome.String].
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Meaning returns what an outcome means, in a few words.
func (o Outcome) Meaning() string {
	return [...]string{
		"live-migrates to another node",
		"is shut down, and starts on another node or stays off",
		"the drain waits for it indefinitely",
	}[o]
}

// DrainCode identifies the reason of an outcome. The codes are a closed list, [DrainCodes], and never change their
// meaning.
type DrainCode string

// The codes of reasons.
const (
	DrainMigrates      DrainCode = "migrates"
	DrainStopping      DrainCode = "stopping"
	DrainRestarts      DrainCode = "restarts"
	DrainStaysOff      DrainCode = "stays-off"
	DrainStartsNowhere DrainCode = "starts-nowhere"
	DrainCannotMigrate DrainCode = "cannot-migrate"
	DrainNoRoom        DrainCode = "no-room"
	DrainNoQuota       DrainCode = "no-quota"
	DrainExternal      DrainCode = "external"
	DrainBudget        DrainCode = "disruption-budget"
)

// DrainCodes returns the codes of all reasons, sorted.
func DrainCodes() []DrainCode {
	out := []DrainCode{
		DrainMigrates, DrainStopping, DrainRestarts, DrainStaysOff, DrainStartsNowhere, DrainCannotMigrate, DrainNoRoom,
		DrainNoQuota, DrainExternal, DrainBudget,
	}
	slices.Sort(out)
	return out
}

// Eviction is what a drain does to one VM.
type Eviction struct {
	// ID is the VirtualMachine, or the VirtualMachineInstance if it has none.
	ID      manifest.ID
	Outcome Outcome
	Code    DrainCode
	// Says is the rest of a sentence about the VM, without its full stop.
	Says string
	// Advice is what to do; it may be empty.
	Advice string
	// Unknown is what the outcome depends on and the state lacks, in a few words each.
	Unknown []string
}

// Drain is what a drain of a node does to the VMs on it.
type Drain struct {
	Node string
	// VMs are worst first, then by namespace and name.
	VMs []Eviction
	// Notes are facts about the whole.
	Notes []string
	// Counts is the number of VMs by outcome; outcomes without any are left out.
	Counts map[Outcome]int
}

// Worst returns the worst outcome of all VMs, or OutcomeMoves.
func (d *Drain) Worst() Outcome {
	worst := OutcomeMoves
	for o := range d.Counts {
		worst = max(worst, o)
	}
	return worst
}

// IsApproximate reports whether an outcome depends on what the state lacks.
func (d *Drain) IsApproximate() bool {
	return slices.ContainsFunc(d.VMs, func(v Eviction) bool { return len(v.Unknown) > 0 })
}

// NewDrain returns what a drain of a node does to the VMs on it, in the state that a cluster has. isWhole is true if
// the state was read from the cluster itself: there are no objects of a kind that it lacks.
func NewDrain(node string, exported []manifest.Object, isWhole bool) (*Drain, error) {
	state := append([]manifest.Object{}, exported...) // known, even if it is empty
	d := &drainer{live: cluster.Read(state), node: node, isWhole: isWhole}
	d.out = &Drain{Node: node, Counts: map[Outcome]int{}}
	if known := d.nodes(); !slices.Contains(known, node) {
		return nil, fmt.Errorf("unknown node %q; %s", node, suggest.DidYouMean(node, known))
	}
	// The KubeVirt object has all settings. Without it, those of HyperConverged are assumed, as elsewhere.
	d.isConfigured = len(d.live.ByKind[cluster.KindKubeVirt]) > 0
	d.settings, _ = cluster.ReadSettings(cluster.Settings{OpenShift: !d.isConfigured}, state)
	d.evictAll()
	d.notes()
	return d.out, nil
}

// drainer collects what a drain does.
type drainer struct {
	live         *cluster.State
	settings     cluster.Settings
	isConfigured bool // the state has the settings of KubeVirt
	isWhole      bool
	node         string
	out          *Drain
}

// nodes returns the names of the nodes that the state has, and of those on which its VMs run.
func (d *drainer) nodes() []string {
	var out []string
	for _, n := range d.live.Of(cluster.KindNode, "") {
		out = append(out, n.ID.Name)
	}
	for _, e := range d.live.ByKind[cluster.KindInstance] {
		if name := nodeOf(e); name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// nodeOf returns the node that an instance runs on, or "".
func nodeOf(instance cluster.Entity) string {
	return manifest.Text(instance.Object, "status", "nodeName")
}

// evictAll finds the outcomes of all VMs on the node. The largest ones look for room first, because this leaves the
// fewest without.
func (d *drainer) evictAll() {
	var all []*evicted
	for _, e := range d.live.ByKind[cluster.KindInstance] {
		if nodeOf(e) == d.node && !slices.Contains(cluster.Final, manifest.Text(e.Object, "status", "phase")) {
			all = append(all, d.evict(e))
		}
	}
	slices.SortStableFunc(all, func(a, b *evicted) int { return b.place.Need.Cmp(*a.place.Need) })
	for _, v := range all {
		d.findRoom(v)
		d.out.VMs = append(d.out.VMs, v.Eviction)
		d.out.Counts[v.Outcome]++
	}
	slices.SortFunc(d.out.VMs, func(a, b Eviction) int {
		return cmp.Or(cmp.Compare(b.Outcome, a.Outcome), a.ID.Compare(b.ID))
	})
}

// notes adds the facts about the whole.
func (d *drainer) notes() {
	d.waves()
	d.arrivals()
	hasNodes, hasPods := len(d.live.Of(cluster.KindNode, "")) > 0, len(d.live.ByKind["Pod"]) > 0
	if hasNodes && !hasPods && len(d.out.VMs) > 0 {
		d.note("whether other nodes have room is known only as far as VMs use them: the state in the cluster has no Pods")
	}
	if d.out.Counts[OutcomeStops] > 0 && !d.isWhole && len(d.live.ByKind[cluster.KindBudget]) == 0 {
		d.note("whether PodDisruptionBudgets block VMs that stop is unknown: the state in the cluster has none")
	}
}

func (d *drainer) note(format string, args ...any) {
	d.out.Notes = append(d.out.Notes, fmt.Sprintf(format, args...))
}

// waves notes how long the migrations can take.
func (d *drainer) waves() {
	var ids []manifest.ID
	for i := range d.out.VMs {
		if d.out.VMs[i].Outcome == OutcomeMoves {
			ids = append(ids, d.out.VMs[i].ID)
		}
	}
	if len(ids) < 2 {
		return
	}
	waves, longest := d.live.Waves(ids)
	d.note("%d VMs migrate, at most %d at a time from one node: %s; KubeVirt gives each up to %s for its memory, and all "+
		"of them together take %s at most if none is tried again", len(ids), d.live.Migrations().PerNode,
		wording.Plural(waves, "wave", "waves"), wording.Minutes(longest), wording.Minutes(time.Duration(waves)*longest))
}

// arrivals notes the VMs that are migrating to the node: cordoning it does not stop them.
func (d *drainer) arrivals() {
	var names []string
	for _, e := range d.live.ByKind[cluster.KindInstance] {
		move := manifest.At(e.Object, "status", "migrationState")
		isTarget := manifest.Text(move, "targetNode") == d.node && nodeOf(e) != d.node
		if isTarget && manifest.Text(move, "endTimestamp") == "" {
			names = append(names, e.ID.Namespace+"/"+e.ID.Name)
		}
	}
	if len(names) > 0 {
		d.note("%s to the node now: %s; look again when this has ended",
			wording.Plural(len(names), "VM migrates", "VMs migrate"), wording.Some(names))
	}
}
