package plan

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// linkedKinds are the kinds whose changes are those of a VM that uses them.
var linkedKinds = []string{kindDataVolume, kindClaim, kindSecret, "ConfigMap"}

// linkAll finds the VMs of the disks, claims, Secrets and ConfigMaps that change, and of objects that act on VMs.
func (p *planner) linkAll() {
	p.links, p.linked = map[*pair][]*pair{}, map[*pair]bool{}
	var users map[key][]*pair
	for i := range p.pairs {
		pair := &p.pairs[i]
		if pair.isSame() || pair.isMachine() {
			continue
		}
		if !slices.Contains(linkedKinds, kindOf(pair.id)) {
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
		for _, m := range users[key{"", "", pair.id.Namespace, pair.id.Name}] {
			p.link(m, pair)
		}
	}
}

func (p *planner) link(machine, to *pair) {
	p.links[machine] = append(p.links[machine], to)
	p.linked[to] = true
}

// byLabel returns the VM that the label `app` of a rendered disk names.
func (p *planner) byLabel(pair *pair) *pair {
	if kind := kindOf(pair.id); kind != kindDataVolume && kind != kindClaim {
		return nil
	}
	for _, side := range []tree{manifest.Decode(pair.new), manifest.Decode(pair.old)} {
		if !isRendered(side) {
			continue
		}
		name := manifest.Text(side, "metadata", "labels", "app")
		if m := p.find("kubevirt.io", "VirtualMachine", pair.id.Namespace, name); m != nil {
			return m
		}
		if m := p.find("pool.kubevirt.io", "VirtualMachinePool", pair.id.Namespace, name); m != nil {
			return m
		}
	}
	return nil
}

// users returns the VMs that refer to a claim, DataVolume, Secret or ConfigMap, by
// namespace and name. It reads every VM, so it is called only for objects that
// were not rendered here.
func (p *planner) users() map[key][]*pair {
	out := map[key][]*pair{}
	for i := range p.pairs {
		pair := &p.pairs[i]
		if !pair.isMachine() {
			continue
		}
		for _, side := range [][]byte{pair.old, pair.new} {
			for name := range references(world.Template(manifest.Decode(side))) {
				k := key{"", "", pair.id.Namespace, name}
				if !slices.Contains(out[k], pair) {
					out[k] = append(out[k], pair)
				}
			}
		}
	}
	return out
}

// references returns the names of what the volumes of a VM refer to.
func references(vm tree) map[string]bool {
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
	fields, _ := v.(tree)
	for k, value := range fields {
		if s, ok := value.(string); ok && slices.Contains(referring, k) {
			into[s] = true
		}
		collectNames(value, into)
	}
}

// linkCauses returns the causes of what belongs to a VM.
func (p *planner) linkCauses(s *subject, links []*pair) []Cause {
	var out []Cause
	for _, l := range links {
		if p.changesOwner(s, l) {
			continue
		}
		row := kindRow(l.id)
		for _, c := range p.causes(l) {
			if kind := kindOf(l.id); kind == kindSecret || kind == "ConfigMap" {
				c = secretCause(s, c)
			}
			switch {
			case c.Level == Create && s.old == nil:
				continue
			case c.Code == "disk-created" && usesClaim(s.old, l.id.Name):
				c = claimTaken()
			}
			if c.Level == Create && s.takenOver && kindOf(l.id) == kindSecret && len(p.live.secrets) == 0 {
				c.Approximate = "whether the cluster has the Secret: the state has none"
			}
			c.Object, c.acts = l.id, row.Acts() || !row.Known()
			out = append(out, c)
		}
	}
	return out
}

// secretCause returns the cause of a changed Secret or ConfigMap of a VM: KubeVirt
// reads it when the VM starts (v1.8.4, pkg/cloud-init/cloud-init.go).
func secretCause(s *subject, c Cause) Cause {
	if c.Level != Live || s.old == nil {
		return c
	}
	c.Level, c.Code, c.Key, c.When = Staged, "secret-unseen", "cloudInit", atNextStart
	c.Reason = "KubeVirt does not detect that the content has changed, and requests no restart"
	c.Advice = "restart the VM if it needs the content now"
	return c
}

// changesOwner reports whether a disk stays, but moves from the VM's templates to
// an object of its own, or back: the rules of templates define what that does.
func (p *planner) changesOwner(s *subject, disk *pair) bool {
	if kind := kindOf(disk.id); kind != kindDataVolume && kind != kindClaim {
		return false
	}
	entry := "[" + disk.id.Name + "]"
	return disk.old == nil && manifest.At(s.old, "spec", "dataVolumeTemplates", entry) != nil ||
		disk.new == nil && manifest.At(s.new, "spec", "dataVolumeTemplates", entry) != nil
}
