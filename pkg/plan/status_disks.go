package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// numberOf returns "3 are", "one is" or "none is".
func numberOf(n int) string {
	switch n {
	case 0:
		return "none is"
	case 1:
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// diskFacts returns the disks of a VM that are not ready, and those that Git keeps
// although they are deleted with the VM.
func (p *planner) diskFacts(s *subject) []Fact {
	var out []Fact
	for _, name := range p.usedDisks(s) {
		if f := p.diskFact(s, name); f.Says != "" && !s.isPool() {
			out = append(out, f)
		}
	}
	for _, c := range p.ownership(s) {
		out = append(out, Fact{
			State: StateDisk, Code: FactStillOwned, Object: c.Object, Advice: c.Advice,
			Says: "Git keeps the disk " + c.Object.Name + ", but Kubernetes deletes it with the VM, to which it belongs",
		})
	}
	return out
}

// diskFact returns what keeps one disk from being ready, by its DataVolume or else its claim.
func (p *planner) diskFact(s *subject, name string) Fact {
	volume, claim := p.live.get(kindDataVolume, s.id.Namespace, name), p.live.get(kindClaim, s.id.Namespace, name)
	f := Fact{Code: FactDiskNotReady}
	switch {
	case volume != nil:
		f.State, f.Says = volumeState(volume, s.live.running)
	case claim == nil:
		// KubeVirt creates those of templates when the VM starts.
		isOwn := manifest.At(s.live.object, "spec", "dataVolumeTemplates", "["+name+"]") != nil
		if p.live.covered[key{"", "PersistentVolumeClaim", s.id.Namespace, ""}] && !isOwn {
			f.State, f.Says = StateDisk, "is missing"
		}
	case manifest.Text(claim, "status", "phase") == "Lost":
		f.State, f.Says = StateDisk, "has lost its volume"
	case is(claim, "Resizing") == yes || is(claim, "FileSystemResizePending") == yes:
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
func fillError(volume tree) tree {
	for _, kind := range []string{"Running", "Bound"} {
		c := condition(volume, kind)
		if is(volume, kind) == no && slices.Contains(fillErrors[kind], manifest.Text(c, "reason")) {
			return c
		}
	}
	return nil
}

// volumeState describes what a DataVolume waits for, by its phase and conditions (CDI v1.66,
// core/v1beta1/types.go, DataVolumePhase).
func volumeState(volume tree, running truth) (State, string) {
	phase, failure := manifest.Text(volume, "status", "phase"), fillError(volume)
	switch {
	case slices.Contains([]string{"Failed", "Unknown"}, phase):
		return StateDisk, "could not be filled (" + phase + ")" + becauseOf(volume, "Running")
	case failure != nil && !slices.Contains(filledPhases, phase):
		return StateDisk, "could not be filled (" + fillProgress(volume) + ")" + reasonOf(failure)
	case phase == "Paused":
		return StateDisk, "waits for the next stage of its import (Paused)"
	case phase == "UploadReady":
		return StateDisk, "waits for an upload"
	case strings.HasSuffix(phase, "InProgress"), strings.HasSuffix(phase, "Scheduled"):
		says := "is being filled (" + fillProgress(volume) + ")"
		if is(volume, "Running") == no {
			says += becauseOf(volume, "Running")
		}
		return StateUnderWay, says
	case running == yes && (phase == "Pending" || slices.Contains(filledPhases[1:], phase)):
		return StateUnderWay, "is about to be filled (" + phase + ")"
	}
	return StateOK, ""
}

// fillProgress returns the phase of a DataVolume, how much of it is filled, and how often that was started again.
func fillProgress(volume tree) string {
	out := cmp.Or(manifest.Text(volume, "status", "phase"), "Pending")
	if progress := manifest.Text(volume, "status", "progress"); strings.HasSuffix(progress, "%") {
		out += ", " + progress
	}
	if n := count(manifest.At(volume, "status", "restartCount"), 0); n > 0 {
		out += ", " + plural(n, "restart", "restarts")
	}
	return out
}

// oldDisks notes the disks of the VMs of Git that neither Git nor a VM in the
// cluster has any more, such as those before another revision.
func (p *planner) oldDisks() {
	for _, ns := range p.namespaces() {
		used := map[string]bool{}
		for _, vm := range p.live.of(kindVM, ns) {
			for _, name := range world.Claims(world.Spec(vm.object)) {
				used[name] = true
			}
		}
		for _, d := range p.live.of(kindDataVolume, ns) {
			owner := manifest.Text(d.object, "metadata", "labels", "app")
			isLeft := p.byKey[keyOf(d.id)] == nil && !used[d.id.Name] && isRendered(d.object) &&
				len(manifest.List(d.object, "metadata", "ownerReferences")) == 0
			if isLeft && p.find("kubevirt.io", "VirtualMachine", ns, owner) != nil {
				p.note("%s: %s no longer has the disk %s, in Git or in the cluster; delete it "+
					"if you do not need it for a rollback (kubectl delete datavolume %[3]s -n %[1]s)", ns, owner, d.id.Name)
			}
		}
	}
}
