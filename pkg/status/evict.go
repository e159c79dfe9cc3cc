package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// What an eviction of the pod of a VM does (KubeVirt v1.9.0,
// pkg/virt-api/webhooks/validating-webhook/admitters/pod-eviction-admitter.go, admitLauncherPod; before v1.6, KubeVirt
// has a PodDisruptionBudget for each VM that migrates, to the same effect):
//
//	eviction strategy     | can live-migrate        | cannot
//	----------------------|-------------------------|---------------------
//	LiveMigrate           | migrates, and the drain | is refused: the
//	                      | waits for that          | drain waits
//	LiveMigrateIfPossible | as above                | stops
//	External              | the drain waits for another controller
//	None, or none         | stops
//
// Kubernetes asks PodDisruptionBudgets after KubeVirt, so they matter only for VMs that stop. A paused VM migrates,
// and stays paused (pkg/virt-launcher/virtwrap/live-migration-source.go, generateMigrationFlags).

// evicted is an eviction with what its outcome follows from.
type evicted struct {
	Eviction
	s        *impact.Subject
	instance cluster.Entity
	place    cluster.Place // before any VM of the node has moved
}

// add adds what the outcome depends on and the state lacks.
func (v *evicted) add(unknown string) { v.Unknown = append(v.Unknown, unknown) }

// decide sets the outcome.
func (v *evicted) decide(o Outcome, code DrainCode, says, advice string) {
	v.Outcome, v.Code, v.Says, v.Advice = o, code, says, advice
}

// evict returns what an eviction of the pod of an instance does, if there is room for all.
func (d *drainer) evict(e cluster.Entity) *evicted {
	v := &evicted{s: d.subject(e), instance: e}
	v.ID = v.s.ID
	if v.s.Live.Object == nil && !v.isOwned() {
		v.ID = e.ID
	}
	v.place = d.live.PlaceFor(v.s.Old, d.node)
	if manifest.Text(e.Object, "metadata", "deletionTimestamp") != "" {
		v.decide(OutcomeStops, DrainStopping, "is stopping already", "")
		return v
	}
	strategy := v.s.EvictionStrategy()
	if manifest.Text(e.Object, "spec", "evictionStrategy") == "" && !d.isConfigured {
		v.add("the evictionStrategy of the cluster: the state has no KubeVirt object")
	}
	canMigrate := v.s.Migratable()
	switch {
	case strategy == "External":
		v.decide(OutcomeBlocks, DrainExternal, "has the evictionStrategy External: KubeVirt leaves it to another controller",
			"if no controller moves it, "+v.stop())
		v.add("whether another controller moves it")
	case strategy == "LiveMigrate" && canMigrate == cluster.No:
		v.decide(OutcomeBlocks, DrainCannotMigrate,
			"cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: "+v.pinnedBy(), v.unpin())
	case strings.HasPrefix(strategy, "LiveMigrate") && canMigrate != cluster.No:
		d.migrate(v, canMigrate)
	case strategy == "LiveMigrateIfPossible":
		d.shutDown(v, "is shut down, because it cannot live-migrate: "+v.pinnedBy())
	default:
		d.shutDown(v, "is shut down (evictionStrategy "+cmp.Or(strategy, "None")+")")
	}
	return v
}

// subject returns an instance as the VM that it is of: what runs counts, and not what the next start would take.
func (d *drainer) subject(e cluster.Entity) *impact.Subject {
	vm := manifest.Tree{
		"metadata": e.Object["metadata"],
		"spec":     manifest.Tree{"template": manifest.Tree{"metadata": e.Object["metadata"], "spec": e.Object["spec"]}},
	}
	id := manifest.ID{APIVersion: e.ID.APIVersion, Kind: "VirtualMachine", Namespace: e.ID.Namespace, Name: e.ID.Name}
	return &impact.Subject{
		ID: id, Old: vm, New: vm, Cluster: d.settings, State: d.live, Live: d.live.Instance(e),
		Disks: map[string]manifest.Tree{},
	}
}

// migrate decides about a VM that KubeVirt migrates, or cannot be known not to.
func (d *drainer) migrate(v *evicted, canMigrate cluster.Truth) {
	says := "live-migrates"
	if cluster.Is(v.instance.Object, "Paused") == cluster.Yes {
		says += ", and stays paused"
	}
	v.decide(OutcomeMoves, DrainMigrates, says, "")
	switch {
	case canMigrate == cluster.Yes:
	case v.s.Live.IsOutdated():
		v.add("whether it can migrate: it runs in the launcher of an older KubeVirt")
	default:
		v.add("whether it can migrate: its instance has no condition LiveMigratable")
	}
	if o := d.live.NoQuota(v.ID.Namespace, v.s.Old, v.s.Old); o != nil {
		v.decide(OutcomeBlocks, DrainNoQuota, "cannot live-migrate now: "+o.Why,
			"raise the quota for the drain, or "+v.stop())
	}
}

// shutDown decides about a VM that an eviction stops, unless a PodDisruptionBudget keeps its pod.
func (d *drainer) shutDown(v *evicted, says string) {
	v.decide(OutcomeStops, DrainRestarts, says, "")
	d.heedBudgets(v)
	if v.Outcome == OutcomeBlocks {
		return
	}
	if d.live.Object(v.s.ID) == nil && v.isOwned() {
		v.add("whether it starts again: the state lacks its VirtualMachine")
		return
	}
	switch strategy := world.RunStrategy(v.s.Live.Object); {
	case v.s.Live.Object == nil:
		v.Code, v.Says = DrainStaysOff, v.Says+"; nothing starts it again, because it has no VirtualMachine"
	case strategy == "RerunOnFailure":
		v.Code = DrainStaysOff
		v.Says += "; stays off (runStrategy RerunOnFailure), unless its guest does not shut down in time"
		v.Advice = "start it after the drain (virtctl start " + v.named() + ")"
	case strategy != "Always":
		v.Code, v.Says = DrainStaysOff, v.Says+"; stays off (runStrategy "+strategy+")"
		v.Advice = "start it after the drain (virtctl start " + v.named() + ")"
	}
}

// heedBudgets blocks the shutdown of a VM whose pod a PodDisruptionBudget keeps. Kubernetes evicts no pod that two of
// them select.
func (d *drainer) heedBudgets(v *evicted) {
	budgets := d.live.Budgets(v.instance)
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = b.ID.Name
	}
	if len(budgets) > 1 {
		v.decide(OutcomeBlocks, DrainBudget,
			"its pod cannot be evicted: the PodDisruptionBudgets "+strings.Join(names, " and ")+" both select it",
			"change their selectors, or "+v.stop())
	}
	if len(budgets) != 1 {
		return
	}
	switch cluster.Allows(budgets[0].Object, v.instance.Object) {
	case cluster.No:
		v.decide(OutcomeBlocks, DrainBudget,
			"its pod cannot be evicted: the PodDisruptionBudget "+names[0]+" allows no disruption now",
			"get the other pods of the budget ready, or "+v.stop())
	case cluster.Unknown:
		v.add("whether the PodDisruptionBudget " + names[0] + " allows the eviction: it has no status")
	}
}

// findRoom takes room on another node for a VM that moves or starts again, and changes the outcome if there is none.
func (d *drainer) findRoom(v *evicted) {
	if v.Code != DrainMigrates && v.Code != DrainRestarts {
		return
	}
	p := d.live.PlaceFor(v.s.Old, d.node)
	pod := map[DrainCode]string{DrainMigrates: "a second pod", DrainRestarts: "its pod"}[v.Code]
	why := p.Why(pod)
	if why != "" && v.place.Fits != cluster.No {
		why = "the other VMs of the node take the room that other nodes have"
		v.add("which VMs find room first")
	}
	switch {
	case p.Fits == cluster.Yes:
		d.live.Occupy(p.Node, p.Need)
	case p.Fits == cluster.Unknown && len(d.live.Of(cluster.KindNode, "")) == 0:
		v.add("whether another node has room: the state has no Nodes")
	case p.Fits == cluster.Unknown:
		v.add("whether another node has room: some do not report their memory")
	case v.Code == DrainMigrates:
		v.decide(OutcomeBlocks, DrainNoRoom, "cannot live-migrate now: "+why, "make room on another node, or "+v.stop())
	default:
		v.Code, v.Says = DrainStartsNowhere, v.Says+"; starts on no other node: "+why
		v.Advice = "make room on another node first; otherwise, it is down until the node is back"
	}
	if v.Code == DrainRestarts {
		v.Says += "; starts on another node"
		if names := v.singleNodeDisks(); len(names) > 0 {
			v.add("whether another node can mount what is not ReadWriteMany: " + wording.Some(names))
		}
	}
}

// named returns the arguments of a command for the VM: "db -n prod".
func (v *evicted) named() string { return v.ID.Name + " -n " + v.ID.Namespace }

// stop returns the command that stops the VM.
func (v *evicted) stop() string {
	if v.ID.Kind != "VirtualMachine" {
		return "stop it (kubectl delete vmi " + v.named() + ")"
	}
	return "stop it (virtctl stop " + v.named() + ")"
}

// isOwned reports whether the instance belongs to a VirtualMachine.
func (v *evicted) isOwned() bool {
	return slices.ContainsFunc(manifest.List(v.instance.Object, "metadata", "ownerReferences"), func(o any) bool {
		return manifest.Text(o, "kind") == "VirtualMachine"
	})
}

// singleNodeDisks returns the claims of the VM that only one node can mount at a time.
func (v *evicted) singleNodeDisks() []string {
	return slices.DeleteFunc(world.Claims(world.Spec(v.s.Old)), func(name string) bool { return !v.s.IsSingleNode(name) })
}

// pinnedReasons are the reasons of the condition LiveMigratable that have a cure in Git (KubeVirt v1.9.0,
// api/core/v1/types.go).
var pinnedReasons = map[string]string{
	"DisksNotLiveMigratable":                 "move its disks to ReadWriteMany claims",
	"InterfaceNotLiveMigratable":             "use masquerade on the pod network",
	"CPUModeLiveMigratable":                  "set a cpu model that other nodes have",
	"PersistentReservationNotLiveMigratable": "remove the persistent reservation",
	"HypervPassthroughNotLiveMigratable":     "remove hypervPassthrough",
}

// reason returns the reason of the condition LiveMigratable; without one, it is that of the spec.
func (v *evicted) reason() string {
	reason := manifest.Text(cluster.Condition(v.instance.Object, "LiveMigratable"), "reason")
	if reason == "" && world.Pinned(v.s.Old) == "" && len(v.singleNodeDisks()) > 0 {
		return "DisksNotLiveMigratable"
	}
	return reason
}

// pinnedBy returns why the VM cannot live-migrate: in few words if the spec shows what KubeVirt means, or else its
// message.
func (v *evicted) pinnedBy() string {
	message := wording.Sentence(cmp.Or(v.s.Live.Immovable, v.reason()))
	switch names := v.singleNodeDisks(); v.reason() {
	case "DisksNotLiveMigratable":
		if len(names) > 0 {
			return "not ReadWriteMany: " + wording.Some(names)
		}
	default:
		if why := world.Pinned(v.s.Old); why != "" {
			return why
		}
	}
	return cmp.Or(message, "KubeVirt does not report why")
}

// unpin returns what to do about a VM that cannot live-migrate: now, and for later drains.
func (v *evicted) unpin() string {
	now := v.stop()
	if v.place.Fits != cluster.No && v.ID.Kind == "VirtualMachine" {
		now = "cordon the node and restart it (virtctl restart " + v.named() + "), or " + now
	}
	later := "set `evictionStrategy: LiveMigrateIfPossible`"
	if cure := pinnedReasons[v.reason()]; cure != "" {
		later = cure + ", or " + later
	}
	return now + "; for later drains, " + later
}
