package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// findSuccessors finds the VMs that go and come back under another name: those
// of a blue-green change, and those whose specs are equal except for names and identity.
// Only VMs of which there is one on each side count.
func (p *planner) findSuccessors() {
	p.successors, p.predecessors = map[*pairs.Pair]*pairs.Pair{}, map[*pairs.Pair]*pairs.Pair{}
	gone, come := map[string][]*pairs.Pair{}, map[string][]*pairs.Pair{}
	anyNew := false
	for i := range p.Pairs {
		anyNew = anyNew || p.Pairs[i].IsMachine() && p.Pairs[i].Old == nil
	}
	if !anyNew {
		return
	}
	for i := range p.Pairs {
		switch pair := &p.Pairs[i]; {
		case !pair.IsMachine():
		case pair.New == nil:
			sortIn(gone, pair, manifest.Decode(pair.Former()))
		case pair.Old == nil:
			sortIn(come, pair, manifest.Decode(pair.New))
		}
	}
	for mark, from := range gone {
		to := come[mark]
		if len(from) == 1 && len(to) == 1 && p.predecessors[to[0]] == nil && p.successors[from[0]] == nil {
			p.successors[from[0]], p.predecessors[to[0]] = to[0], from[0]
		}
	}
}

func sortIn(into map[string][]*pairs.Pair, pair *pairs.Pair, vm manifest.Tree) {
	mark := fingerprint(pair, vm)
	into[mark] = append(into[mark], pair)
}

// isBlueGreen reports whether a VM is named by its content.
func isBlueGreen(vm manifest.Tree) bool {
	return cluster.Annotation(vm, labels.Strategy) == labels.BlueGreen
}

// fingerprint returns what two VMs have in common that are the same under
// different names.
func fingerprint(pair *pairs.Pair, vm manifest.Tree) string {
	if isBlueGreen(vm) {
		return "blue-green " + pair.ID.Namespace + "/" + manifest.Text(vm, "metadata", "labels", "app")
	}
	s := manifest.Compact(anonymous(vm["spec"]))
	return cluster.KindOf(pair.ID) + strings.ReplaceAll(s, pair.ID.Name, "\x00")
}

// identityFields are the fields that differ between VMs that are the same but
// for their names.
var identityFields = map[string]bool{
	"uuid": true, "serial": true, "macAddress": true, "userData": true, "networkData": true, "hostname": true,
}

// anonymous returns a copy of a value without the fields of a VM's identity.
func anonymous(v any) any {
	switch v := v.(type) {
	case manifest.Tree:
		out := make(manifest.Tree, len(v))
		for k, value := range v {
			if !identityFields[k] {
				out[k] = anonymous(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = anonymous(v[i])
		}
		return out
	}
	return v
}

// succession returns the causes of a VM that takes another's place.
func (p *planner) succession(s *impact.Subject, was *pairs.Pair) []impact.Cause {
	old := p.Subject(was)
	old.Live = p.Live.Machine(was.ID)
	causes := p.removal(old, p.links[was])
	if isBlueGreen(old.Old) {
		return append(blueGreen(was), lostData(old.Old, causes)...)
	}
	out := []impact.Cause{renamed(s.New, old, was)}
	for _, c := range causes {
		if c.Level > impact.Recreate {
			if c.Object.Name == "" {
				c.Object = was.ID
			}
			out = append(out, c)
		}
	}
	return out
}

// renamed returns the cause of a VM that is the same as another except for its name, and maybe for its disks.
func renamed(now manifest.Tree, old *impact.Subject, was *pairs.Pair) impact.Cause {
	c := impact.Cause{Level: impact.Recreate, Code: "renamed", Warning: true}
	elsewhere := old.ID.Namespace != manifest.Text(now, "metadata", "namespace")
	shared := slices.DeleteFunc(world.Written(world.Spec(old.Old)), func(name string) bool {
		return elsewhere || !slices.Contains(world.Written(world.Spec(now)), name)
	})
	disks, after := "it has the same disks: "+strings.Join(shared, ", "), "it is deleted"
	if len(shared) == 0 {
		disks, after = "it starts from new disks", "its disks are deleted with it"
		c.Advice = "to keep the data, let the new entry use the old claims (disks.NAME.claimName, or source.claim), " +
			"or go back to the old name"
		if elsewhere {
			c.Advice = "to keep the data, fill the new disks from the old ones (disks.NAME.source.pvc: " + old.ID.Namespace +
				"/CLAIM), as described in docs/how-to/move-vms.md"
		}
	}
	if stays(old.Old) {
		after = "it stays, continues to run, and keeps the data: " + strings.Join(world.Claims(world.Spec(old.Old)), ", ")
	}
	c.Reason = fmt.Sprintf("the same VM under another name: %s, while %s is no longer in Git; %s",
		disks, was.ID, after)
	return c
}

// stays reports whether Argo CD keeps a VM that is no longer in Git.
func stays(old manifest.Tree) bool { return cluster.SyncOption(old, "Prune") == "false" }

// takenNames returns the cause of a new pool of which members would have the names of VMs that go from Git and stay in
// the cluster, as when pets with `replicas` become a pool: KubeVirt takes the next free names (v1.8.4,
// pkg/virt-controller/watch/pool/pool.go, calculateNewVMNames).
func (p *planner) takenNames(s *impact.Subject) []impact.Cause {
	if !s.IsPool() {
		return nil
	}
	var taken []string
	for i := range quantities.Count(manifest.At(s.New, "spec", "replicas"), 1) {
		name := s.ID.Name + "-" + strconv.Itoa(i)
		was := p.Find("kubevirt.io", "VirtualMachine", s.ID.Namespace, name)
		if was != nil && was.New == nil && stays(manifest.Decode(was.Former())) {
			taken = append(taken, name)
		}
	}
	if taken == nil {
		return nil
	}
	return []impact.Cause{{
		Level: impact.Create, Code: "names-taken", Key: "replicas", Warning: true,
		Reason: fmt.Sprintf("VMs that are no longer in Git stay next to the pool: %s; the members of the pool "+
			"get other names", strings.Join(taken, ", ")),
		Advice: "if the pool replaces them, set their lifecycle.removal to approved, in a commit before this one",
	}}
}

// blueGreen returns the cause of a new revision next to the old one.
func blueGreen(was *pairs.Pair) []impact.Cause {
	return []impact.Cause{{
		Level: impact.Recreate, Code: "blue-green", Key: "lifecycle",
		Reason: fmt.Sprintf("the new revision starts next to %s, "+
			"which is deleted with its disks when the new one is ready", was.ID),
	}}
}

// lostData returns the causes that are about other disks than the root disk.
func lostData(vm manifest.Tree, causes []impact.Cause) []impact.Cause {
	root := diff.Display([]string{"spec", "dataVolumeTemplates", "[" + impact.RootDisk(vm) + "]"})
	var out []impact.Cause
	for _, c := range causes {
		if c.Level == impact.DataLoss && c.Path != root {
			out = append(out, c)
		}
	}
	return out
}
