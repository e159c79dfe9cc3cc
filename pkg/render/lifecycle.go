package render

import (
	"strconv"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// annotationDeleteAfterCompletion keeps CDI 1.61 and earlier (KubeVirt 1.4 and
// earlier) from deleting a completed DataVolume, which Argo CD would recreate.
const annotationDeleteAfterCompletion = "cdi.kubevirt.io/storage.deleteAfterCompletion"

// syncAnnotations returns the annotations for Argo CD, or for Flux, on a part of the VM.
func (x *rendering) syncAnnotations(p lifecycle.Part) map[string]string {
	return p.Annotations(x.Wave, x.Target)
}

// vmOptions returns the sync options of the VirtualMachine. A pet without
// protection has none.
func (x *rendering) vmOptions() string {
	if x.options == "" {
		x.options = lifecycle.VMOptions(x.Machine)
	}
	return x.options
}

// set sets a key of a map, unless the value is empty.
func set(m map[string]string, key, value string) {
	if value != "" {
		m[key] = value
	}
}

func (x *rendering) lifecycleAnnotations() map[string]string {
	a := outcome.MapOf(x.lifecyclePairs(make([]outcome.Pair, 0, lifecycle.MostPairs)))
	if !x.Target.ByFlux() {
		set(a, argocd.SyncOptionsAnnotation, x.vmOptions())
	}
	return a
}

// lifecyclePairs appends the annotations of the lifecycle on the VirtualMachine, without the sync options, which users
// may add to.
func (x *rendering) lifecyclePairs(to []outcome.Pair) []outcome.Pair {
	lc := &x.Lifecycle
	to = lifecycle.OfVM(lc.Strategy).Pairs(to, x.Wave, x.lifecycleOptions(), &x.Target)
	if !lc.Cattle() {
		if lc.RestoreFrom != nil {
			to = outcome.AppendPair(to, labels.Restore, lc.RestoreFrom.String(), "")
		}
		return outcome.AppendPair(to, labels.Lifecycle, labels.Pet, "")
	}
	to = outcome.AppendPair(to, labels.Lifecycle, labels.Cattle, "")
	if lc.Strategy.Traits().NamedByContent {
		to = outcome.AppendPair(to, labels.Strategy, string(lc.Strategy), "")
	}
	if lc.Strategy.Traits().Job {
		to = x.rolloutPairs(to)
	}
	return to
}

// rolloutAnnotations returns the annotations that control a rollout.
func (x *rendering) rolloutAnnotations() map[string]string { return outcome.MapOf(x.rolloutPairs(nil)) }

func (x *rendering) rolloutPairs(to []outcome.Pair) []outcome.Pair {
	lc := &x.Lifecycle
	to = outcome.AppendPair(to, labels.MaxUnavailable, lc.MaxUnavailable.String(), "")
	to = outcome.AppendPair(to, labels.KeepOld, strconv.Itoa(lc.KeepOld), "")
	to = outcome.AppendPair(to, labels.Entry, x.Entry, "")
	if lc.ProgressDeadlineSeconds > 0 {
		to = outcome.AppendPair(to, labels.ProgressDeadline, strconv.Itoa(lc.ProgressDeadlineSeconds), "")
	}
	return to
}

// secretAnnotations returns the annotations of the Secret with cloud-init data, which
// stays if the VM stays: without it the VM can neither restart nor migrate.
func (x *rendering) secretAnnotations() map[string]string {
	options := ""
	for o := range argocd.SyncOptions(x.vmOptions()) {
		if text := o.String(); text == "Prune=false" || text == "Delete=false" {
			options = lifecycle.MergeOptions(options, text)
		}
	}
	if x.Target.ByFlux() {
		return outcome.MapOf(lifecycle.Dependent.Pairs(nil, x.Wave, options, &x.Target))
	}
	a := x.syncAnnotations(lifecycle.Dependent)
	set(a, argocd.SyncOptionsAnnotation, lifecycle.MergeOptions(a[argocd.SyncOptionsAnnotation], options))
	return a
}

// diskAnnotations returns the annotations of DataVolumes that survive their VM.
func (x *rendering) diskAnnotations() map[string]string {
	a := x.syncAnnotations(lifecycle.KeptDisk)
	if versions.Before(x.Target.KubeVirt, "1.5") {
		a[annotationDeleteAfterCompletion] = "false"
	}
	return a
}

// diskLabels returns the labels of a DataVolume that the VM owns, or nil.
func (x *rendering) diskLabels(d *machine.Disk) map[string]string {
	return outcome.MapOf(x.diskPairs(nil, d))
}

// diskPairs appends the labels of a DataVolume that the VM owns: a rollout selects root
// disks by theirs, and nothing selects the others.
func (x *rendering) diskPairs(to []outcome.Pair, d *machine.Disk) []outcome.Pair {
	if d.Name == values.RootDisk && x.Lifecycle.Strategy.Traits().ContentNamedRoot {
		return outcome.AppendPair(to, labels.Disk, labels.RootDisk, "")
	}
	return to
}

// lifecycleLabels returns the labels that the lifecycle adds to the VirtualMachine;
// nil for most pets.
func (x *rendering) lifecycleLabels() map[string]string {
	return outcome.MapOf(x.labelPairs(nil))
}

func (x *rendering) labelPairs(to []outcome.Pair) []outcome.Pair {
	if x.Lifecycle.Protect {
		to = outcome.AppendPair(to, labels.Protection, labels.Protected,
			"`protect: true` sets the label, which must not be changed; use `protect: false` instead")
	}
	if x.Lifecycle.Strategy.Traits().Job {
		to = outcome.AppendPair(to, labels.Rollout, x.Part, "")
	}
	return to
}
