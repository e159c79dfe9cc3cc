package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// linkedKinds are the kinds whose changes are those of a VM that uses them.
var linkedKinds = []string{cluster.KindDataVolume, cluster.KindClaim, cluster.KindSecret, "ConfigMap"}

// linkAll finds the VMs of the disks, claims, Secrets and ConfigMaps that change, and of objects that act on VMs.
func (p *planner) linkAll() {
	p.links, p.linked = map[*pairs.Pair][]*pairs.Pair{}, map[*pairs.Pair]bool{}
	var users map[cluster.Key][]*pairs.Pair
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if pair.IsSame() || pair.IsMachine() {
			continue
		}
		if !slices.Contains(linkedKinds, cluster.KindOf(pair.ID)) {
			if m := p.actsOn(pair); m != nil {
				p.link(m, pair)
			}
			continue
		}
		if m := p.byLabel(pair); m != nil {
			p.link(m, pair)
			continue
		}
		if users == nil {
			users = p.users()
		}
		for _, m := range users[cluster.KeyFor("", "", pair.ID.Namespace, pair.ID.Name)] {
			p.link(m, pair)
		}
	}
}

func (p *planner) link(machine, to *pairs.Pair) {
	p.links[machine] = append(p.links[machine], to)
	p.linked[to] = true
}

// byLabel returns the VM that the label `app` of a rendered disk names.
func (p *planner) byLabel(pair *pairs.Pair) *pairs.Pair {
	if kind := cluster.KindOf(pair.ID); kind != cluster.KindDataVolume && kind != cluster.KindClaim {
		return nil
	}
	for _, side := range []manifest.Tree{manifest.Decode(pair.New), manifest.Decode(pair.Old)} {
		if !cluster.IsRendered(side) {
			continue
		}
		name := manifest.Text(side, "metadata", "labels", "app")
		if m := p.Find("kubevirt.io", "VirtualMachine", pair.ID.Namespace, name); m != nil {
			return m
		}
		if m := p.Find("pool.kubevirt.io", "VirtualMachinePool", pair.ID.Namespace, name); m != nil {
			return m
		}
	}
	return nil
}

// users returns the VMs that refer to a claim, DataVolume, Secret or ConfigMap, by
// namespace and name. It reads every VM, so it is called only for objects that
// were not rendered here.
func (p *planner) users() map[cluster.Key][]*pairs.Pair {
	out := map[cluster.Key][]*pairs.Pair{}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if !pair.IsMachine() {
			continue
		}
		for _, side := range [][]byte{pair.Old, pair.New} {
			for name := range references(world.Template(manifest.Decode(side))) {
				k := cluster.KeyFor("", "", pair.ID.Namespace, name)
				if !slices.Contains(out[k], pair) {
					out[k] = append(out[k], pair)
				}
			}
		}
	}
	return out
}

// references returns the names of what the volumes of a VM refer to.
func references(vm manifest.Tree) map[string]bool {
	out := map[string]bool{}
	for _, v := range manifest.List(world.Spec(vm), "volumes") {
		collectNames(v, out)
	}
	delete(out, "")
	return out
}

// referring are the fields of volumes that name another object.
var referring = []string{"claimName", "secretName", "name"}

func collectNames(v any, into map[string]bool) {
	fields, _ := v.(manifest.Tree)
	for k, value := range fields {
		if s, ok := value.(string); ok && slices.Contains(referring, k) {
			into[s] = true
		}
		collectNames(value, into)
	}
}

// linkCauses returns the causes of what belongs to a VM.
func (p *planner) linkCauses(s *impact.Subject, links []*pairs.Pair) []impact.Cause {
	var out []impact.Cause
	for _, l := range links {
		if p.changesOwner(s, l) {
			continue
		}
		row := impact.KindRow(l.ID)
		for _, c := range p.Causes(l) {
			if kind := cluster.KindOf(l.ID); kind == cluster.KindSecret || kind == "ConfigMap" {
				c = secretCause(s, l.ID.Name, c)
			}
			switch {
			case c.Level == impact.Create && s.Old == nil:
				continue
			case c.Code == "disk-created" && usesClaim(s.Old, l.ID.Name):
				c = claimTaken()
			case c.Code == "grown" && c.Level == impact.Create && slices.Contains(world.Claims(world.Spec(s.Old)), l.ID.Name):
				c.Level, c.Reason = impact.Live, "the disk grows while the VM runs, if its storage class allows it"
			}
			isSecret := cluster.KindOf(l.ID) == cluster.KindSecret
			if c.Level == impact.Create && s.TakenOver && isSecret && len(p.Live.Secrets) == 0 {
				c.Approximate = "whether the cluster has the Secret: the state has none"
			}
			c.Object, c.Acts = l.ID, row.Acts() || !row.Known()
			out = append(out, c)
		}
	}
	return out
}

// secretCause returns the cause of a changed Secret or ConfigMap of a VM: KubeVirt
// reads it when the VM starts (v1.8.4, pkg/cloud-init/cloud-init.go).
func secretCause(s *impact.Subject, name string, c impact.Cause) impact.Cause {
	if c.Level != impact.Live || s.Old == nil {
		return c
	}
	if isFirstBoot(s, name) {
		return firstBoot(c)
	}
	c.Level, c.Code, c.Key, c.When = impact.Staged, "secret-unseen", "cloudInit", impact.AtNextStart
	c.Reason = "KubeVirt does not detect that the content has changed, and requests no restart"
	c.Advice = "restart the VM if it needs the content now"
	return c
}

// changesOwner reports whether a disk stays, but moves from the VM's templates to
// an object of its own, or back: the rules of templates define what that does.
func (p *planner) changesOwner(s *impact.Subject, disk *pairs.Pair) bool {
	if kind := cluster.KindOf(disk.ID); kind != cluster.KindDataVolume && kind != cluster.KindClaim {
		return false
	}
	entry := "[" + disk.ID.Name + "]"
	return disk.Old == nil && manifest.At(s.Old, "spec", "dataVolumeTemplates", entry) != nil ||
		disk.New == nil && manifest.At(s.New, "spec", "dataVolumeTemplates", entry) != nil
}

// actsOn returns the VM that an object of a kind that acts on VMs names or, without one, the VM that brings it; nil if
// neither is there on the old side.
func (p *planner) actsOn(pair *pairs.Pair) *pairs.Pair {
	k := impact.KindRow(pair.ID)
	if !k.Acts() && k.Removed == "" && (k.Known() || !cluster.IsRendered(manifest.Decode(pair.New))) {
		return nil
	}
	for _, side := range []manifest.Tree{manifest.Decode(pair.New), manifest.Decode(pair.Old)} {
		for _, path := range append(slices.Clip(k.VM), "metadata.labels.app") {
			name := manifest.Text(side, strings.Split(path, ".")...)
			for _, of := range []cluster.Key{
				cluster.KeyOfVM(pair.ID.Namespace, name),
				cluster.KeyFor("pool.kubevirt.io", "VirtualMachinePool", pair.ID.Namespace, name),
			} {
				if m := p.ByKey[of]; m != nil && m.Old != nil {
					return m
				}
			}
		}
	}
	return nil
}
