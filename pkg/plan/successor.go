package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// findSuccessors finds the VMs that go and come back under another name: those
// of a blue-green change, and those whose specs are equal except for names and identity.
// Only VMs of which there is one on each side count.
func (p *planner) findSuccessors() {
	p.successors, p.predecessors = map[*pair]*pair{}, map[*pair]*pair{}
	gone, come := map[string][]*pair{}, map[string][]*pair{}
	anyNew := false
	for i := range p.pairs {
		anyNew = anyNew || p.pairs[i].isMachine() && p.pairs[i].old == nil
	}
	if !anyNew {
		return
	}
	for i := range p.pairs {
		switch pair := &p.pairs[i]; {
		case !pair.isMachine():
		case pair.new == nil:
			sortIn(gone, pair, manifest.Decode(pair.former()))
		case pair.old == nil:
			sortIn(come, pair, manifest.Decode(pair.new))
		}
	}
	for mark, from := range gone {
		to := come[mark]
		if len(from) == 1 && len(to) == 1 && p.predecessors[to[0]] == nil && p.successors[from[0]] == nil {
			p.successors[from[0]], p.predecessors[to[0]] = to[0], from[0]
		}
	}
}

func sortIn(into map[string][]*pair, pair *pair, vm tree) {
	mark := fingerprint(pair, vm)
	into[mark] = append(into[mark], pair)
}

// isBlueGreen reports whether a VM is named by its content.
func isBlueGreen(vm tree) bool { return annotation(vm, labels.Strategy) == labels.BlueGreen }

// fingerprint returns what two VMs have in common that are the same under
// different names.
func fingerprint(pair *pair, vm tree) string {
	if isBlueGreen(vm) {
		return "blue-green " + pair.id.Namespace + "/" + manifest.Text(vm, "metadata", "labels", "app")
	}
	s := compact(anonymous(vm["spec"]))
	return kindOf(pair.id) + strings.ReplaceAll(s, pair.id.Name, "\x00")
}

// identityFields are the fields that differ between VMs that are the same but
// for their names.
var identityFields = map[string]bool{
	"uuid": true, "serial": true, "macAddress": true, "userData": true, "networkData": true, "hostname": true,
}

// anonymous returns a copy of a value without the fields of a VM's identity.
func anonymous(v any) any {
	switch v := v.(type) {
	case tree:
		out := make(tree, len(v))
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
func (p *planner) succession(s *subject, was *pair) []Cause {
	old := p.subject(was)
	old.live = p.live.machine(was.id)
	causes := p.removal(old, p.links[was])
	if isBlueGreen(old.old) {
		return append(blueGreen(was), lostData(old.old, causes)...)
	}
	out := []Cause{renamed(s.new, old, was)}
	for _, c := range causes {
		if c.Level > Recreate {
			if c.Object.Name == "" {
				c.Object = was.id
			}
			out = append(out, c)
		}
	}
	return out
}

// renamed returns the cause of a VM that is the same as another except for its name, and maybe for its disks.
func renamed(now tree, old *subject, was *pair) Cause {
	c := Cause{Level: Recreate, Code: "renamed", Warning: true}
	elsewhere := old.id.Namespace != manifest.Text(now, "metadata", "namespace")
	shared := slices.DeleteFunc(world.Written(world.Spec(old.old)), func(name string) bool {
		return elsewhere || !slices.Contains(world.Written(world.Spec(now)), name)
	})
	disks, after := "it has the same disks: "+strings.Join(shared, ", "), "it is deleted"
	if len(shared) == 0 {
		disks, after = "it starts from new disks", "its disks are deleted with it"
		c.Advice = "to keep the data, let the new entry use the old claims (disks.NAME.claimName, or source.claim), " +
			"or go back to the old name"
		if elsewhere {
			c.Advice = "to keep the data, fill the new disks from the old ones (disks.NAME.source.pvc: " + old.id.Namespace +
				"/CLAIM), as described in docs/how-to/move-vms.md"
		}
	}
	if stays(old.old) {
		after = "it stays, continues to run, and keeps the data: " + strings.Join(world.Claims(world.Spec(old.old)), ", ")
	}
	c.Reason = fmt.Sprintf("the same VM under another name: %s, while %s is no longer in Git; %s",
		disks, was.id, after)
	return c
}

// stays reports whether Argo CD keeps a VM that is no longer in Git.
func stays(old tree) bool { return syncOption(old, "Prune") == "false" }

// takenNames returns the cause of a new pool of which members would have the names of VMs that go from Git and stay in
// the cluster, as when pets with `replicas` become a pool: KubeVirt takes the next free names (v1.8.4,
// pkg/virt-controller/watch/pool/pool.go, calculateNewVMNames).
func (p *planner) takenNames(s *subject) []Cause {
	if !s.isPool() {
		return nil
	}
	var taken []string
	for i := range count(manifest.At(s.new, "spec", "replicas"), 1) {
		name := s.id.Name + "-" + strconv.Itoa(i)
		was := p.find("kubevirt.io", "VirtualMachine", s.id.Namespace, name)
		if was != nil && was.new == nil && stays(manifest.Decode(was.former())) {
			taken = append(taken, name)
		}
	}
	if taken == nil {
		return nil
	}
	return []Cause{{
		Level: Create, Code: "names-taken", Key: "replicas", Warning: true,
		Reason: fmt.Sprintf("VMs that are no longer in Git stay next to the pool: %s; the members of the pool "+
			"get other names", strings.Join(taken, ", ")),
		Advice: "if the pool replaces them, set their lifecycle.removal to approved, in a commit before this one",
	}}
}

// blueGreen returns the cause of a new revision next to the old one.
func blueGreen(was *pair) []Cause {
	return []Cause{{
		Level: Recreate, Code: "blue-green", Key: "lifecycle",
		Reason: fmt.Sprintf("the new revision starts next to %s, "+
			"which is deleted with its disks when the new one is ready", was.id),
	}}
}

// lostData returns the causes that are about other disks than the root disk.
func lostData(vm tree, causes []Cause) []Cause {
	root := display([]string{"spec", "dataVolumeTemplates", "[" + rootDisk(vm) + "]"})
	var out []Cause
	for _, c := range causes {
		if c.Level == DataLoss && c.Path != root {
			out = append(out, c)
		}
	}
	return out
}
