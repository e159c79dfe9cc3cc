package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// diskFacts returns the disks of a VM that are not ready, and those that Git keeps
// although they are deleted with the VM.
func (p *reader) diskFacts(s *impact.Subject) []Fact {
	var out []Fact
	for _, name := range p.UsedDisks(s) {
		if f := p.diskFact(s, name); f.Says != "" && !s.IsPool() {
			out = append(out, f)
		}
	}
	for _, c := range p.Ownership(s) {
		out = append(out, Fact{
			State: StateDisk, Code: FactStillOwned, Object: c.Object, Advice: c.Advice,
			Says: "Git keeps the disk " + c.Object.Name + ", but Kubernetes deletes it with the VM, to which it belongs",
		})
	}
	return out
}

// diskFact returns what keeps one disk from being ready, by its DataVolume or else its claim.
func (p *reader) diskFact(s *impact.Subject, name string) Fact {
	volume := p.Live.Get(cluster.KindDataVolume, s.ID.Namespace, name)
	claim := p.Live.Get(cluster.KindClaim, s.ID.Namespace, name)
	f := Fact{Code: FactDiskNotReady}
	switch {
	case volume != nil:
		f.State, f.Says = volumeState(volume, s.Live.Running)
	case claim == nil:
		// KubeVirt creates those of templates when the VM starts.
		isOwn := manifest.At(s.Live.Object, "spec", "dataVolumeTemplates", "["+name+"]") != nil
		if p.Live.Covers("", "PersistentVolumeClaim", s.ID.Namespace) && !isOwn {
			f.State, f.Says = StateDisk, "is missing"
		}
	case manifest.Text(claim, "status", "phase") == "Lost":
		f.State, f.Says = StateDisk, "has lost its volume"
	case cluster.Is(claim, "Resizing") == cluster.Yes || cluster.Is(claim, "FileSystemResizePending") == cluster.Yes:
		f.State, f.Says = StateUnderWay, "is growing"
	}
	if f.State == StateUnderWay {
		f.Code = FactUnderWay
	}
	if f.Says != "" {
		f.Says = "the disk " + name + " " + f.Says
	}
	return f
}

// filledPhases are the phases of a DataVolume that is filled, or that only waits for a VM that uses it.
var filledPhases = []string{"Succeeded", "WaitForFirstConsumer", "PendingPopulation"}

// fillErrors are the reasons of conditions of a DataVolume with the status False that tell that it cannot be filled
// (CDI v1.65.0, pkg/controller/util.go, setAnnotationsFromPodWithPrefix; import-controller.go; common/util.go). CDI
// tries again, but waiting alone does not help. The health check of Argo CD that comes with vmrender has the same.
var fillErrors = map[string][]string{
	"Running": {
		"ChecksumError", "ContainerCannotRun", "CreateContainerConfigError", "CreateContainerError", "ErrExceededQuota",
		"ErrImagePull", "ErrStartingPod", "Error", "ImagePullBackOff", "ImagePullFailed", "InvalidImageName",
		"OOMKilled", "StartError",
	},
	"Bound": {"ErrClaimNotValid", "ErrExceededQuota"},
}

// fillError returns the condition that tells why a DataVolume cannot be filled, or nil.
func fillError(volume manifest.Tree) manifest.Tree {
	for _, kind := range []string{"Running", "Bound"} {
		c := cluster.Condition(volume, kind)
		if cluster.Is(volume, kind) == cluster.No && slices.Contains(fillErrors[kind], manifest.Text(c, "reason")) {
			return c
		}
	}
	return nil
}

// volumeState describes what a DataVolume waits for, by its phase and conditions (CDI v1.66,
// core/v1beta1/types.go, DataVolumePhase).
func volumeState(volume manifest.Tree, running cluster.Truth) (State, string) {
	phase, failure := manifest.Text(volume, "status", "phase"), fillError(volume)
	switch {
	case slices.Contains([]string{"Failed", "Unknown"}, phase):
		return StateDisk, "could not be filled (" + phase + ")" + cluster.BecauseOf(volume, "Running")
	case failure != nil && !slices.Contains(filledPhases, phase):
		return StateDisk, "could not be filled (" + fillProgress(volume) + ")" + reasonOf(failure)
	case phase == "Paused":
		return StateDisk, "waits for the next stage of its import (Paused)"
	case phase == "UploadReady":
		return StateDisk, "waits for an upload"
	case strings.HasSuffix(phase, "InProgress"), strings.HasSuffix(phase, "Scheduled"):
		says := "is being filled (" + fillProgress(volume) + ")"
		if cluster.Is(volume, "Running") == cluster.No {
			says += cluster.BecauseOf(volume, "Running")
		}
		return StateUnderWay, says
	case running == cluster.Yes && (phase == "Pending" || slices.Contains(filledPhases[1:], phase)):
		return StateUnderWay, "is about to be filled (" + phase + ")"
	}
	return StateOK, ""
}

// fillProgress returns the phase of a DataVolume, how much of it is filled, and how often that was started again.
func fillProgress(volume manifest.Tree) string {
	out := cmp.Or(manifest.Text(volume, "status", "phase"), "Pending")
	if progress := manifest.Text(volume, "status", "progress"); strings.HasSuffix(progress, "%") {
		out += ", " + progress
	}
	if n := quantities.Count(manifest.At(volume, "status", "restartCount"), 0); n > 0 {
		out += ", " + wording.Plural(n, "restart", "restarts")
	}
	return out
}

// oldDisks notes the disks of the VMs of Git that neither Git nor a VM in the
// cluster has any more, such as those before another revision.
func (p *reader) oldDisks() {
	for _, ns := range p.Namespaces() {
		used := map[string]bool{}
		for _, vm := range p.Live.Of(cluster.KindVM, ns) {
			for _, name := range world.Claims(world.Spec(vm.Object)) {
				used[name] = true
			}
		}
		for _, d := range p.Live.Of(cluster.KindDataVolume, ns) {
			owner := manifest.Text(d.Object, "metadata", "labels", "app")
			isLeft := p.ByKey[cluster.KeyOf(d.ID)] == nil && !used[d.ID.Name] && cluster.IsRendered(d.Object) &&
				len(manifest.List(d.Object, "metadata", "ownerReferences")) == 0
			if isLeft && p.Find("kubevirt.io", "VirtualMachine", ns, owner) != nil {
				p.Note("%s: %s no longer has the disk %s, in Git or in the cluster; delete it "+
					"if you do not need it for a rollback (kubectl delete datavolume %[3]s -n %[1]s)", ns, owner, d.ID.Name)
			}
		}
	}
}
