package drill

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// thingRows are what is lost of the things that a VM has, by their kind: the disks of VMs are looked at for themselves.
var thingRows = map[world.Kind]struct {
	kind Kind
	name string
}{
	world.MAC:    {Address, "the MAC address "},
	world.IP:     {Address, "the IP address "},
	world.UUID:   {Identity, "the UUID "},
	world.Serial: {Identity, "the serial number "},
}

// addressLosses returns the addresses and identities that a VM has in the cluster, and that a rebuild from Git does not
// give it again.
func (d *driller) addressLosses(v *vm) []Loss {
	if v.live == nil {
		return nil
	}
	in := d.thingsInGit(v)
	var out []Loss
	for _, t := range d.thingsInCluster(v) {
		row, counts := thingRows[t.Kind]
		if !counts || isOfPod(t) || slices.Contains(in, t) {
			continue
		}
		out = append(out, Loss{
			Kind: row.kind, Object: v.id, Reason: row.name + t.Name + inNetwork(t) + ": Git does not set it",
		})
	}
	return append(out, d.unseenAddresses(v)...)
}

// isOfPod reports whether an address is one of the pod network, where each pod gets another one.
func isOfPod(t world.Thing) bool { return t.Scope == "pod" }

// inNetwork returns the network of an address as the rest of a sentence.
func inNetwork(t world.Thing) string {
	if t.Scope == "" {
		return ""
	}
	return " in " + t.Scope
}

// thingsInGit returns what a rebuild from Git takes.
func (d *driller) thingsInGit(v *vm) []world.Thing {
	return world.Addressed(v.id.Namespace, world.Spec(v.git), secretsOf(d.git, v.id.Namespace))
}

// thingsInCluster returns what a VM has in the cluster: its instance, and what its next start takes.
func (d *driller) thingsInCluster(v *vm) []world.Thing {
	from := secretsOf(d.Live, v.id.Namespace)
	out := world.Addressed(v.id.Namespace, world.Spec(v.live), from)
	if v.instance == nil {
		return out
	}
	for _, t := range world.HeldBy(v.instance, from) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// secretsOf returns where the network data of VMs is found.
func secretsOf(state *cluster.State, namespace string) world.Sources {
	return world.Sources{Secret: func(name string) manifest.Tree { return state.Secret(namespace, name) }}
}

// unseenAddresses returns the NICs whose MAC address neither Git nor the cluster shows, although the VM may run.
func (d *driller) unseenAddresses(v *vm) []Loss {
	running := d.Live.Machine(v.id).Running
	if v.instance != nil || d.isWhole || running == cluster.No || cluster.KindOf(v.id) == cluster.KindPool {
		return nil
	}
	var out []Loss
	spec := world.Spec(v.git)
	for _, nic := range manifest.List(spec, "domain", "devices", "interfaces") {
		name := manifest.EntryName(nic)
		isOfPods := manifest.At(spec, "networks", "["+name+"]", "pod") != nil
		inLive := manifest.At(world.Spec(v.live), "domain", "devices", "interfaces", "["+name+"]")
		if isOfPods || manifest.Text(nic, "macAddress") != "" || manifest.Text(inLive, "macAddress") != "" {
			continue
		}
		out = append(out, Loss{
			Kind: Address, Object: v.id, Reason: "the MAC address of the NIC " + name + ": Git does not set it",
			Unknown: []string{"whether the VM runs with an address: the state in the cluster lacks its instance"},
		})
	}
	return out
}

// findClashes finds the addresses and identities that two VMs of Git have: a rebuild starts all of them. VMs that are
// halted in Git do not start by themselves.
func (d *driller) findClashes() {
	var all []*world.Machine
	for i := range d.Pairs {
		pair := &d.Pairs[i]
		if cluster.KindOf(pair.ID) != cluster.KindVM {
			continue
		}
		v := d.vmOf(pair.ID, manifest.Decode(pair.New))
		if world.RunStrategy(v.git) == "Halted" {
			continue
		}
		all = append(all, &world.Machine{ID: v.id, Fate: world.Comes, Changes: true, Next: d.thingsInGit(v)})
	}
	for _, c := range world.Collisions(all) {
		row, counts := thingRows[c.Thing.Kind]
		if !counts || isOfPod(c.Thing) {
			continue
		}
		d.clash(c.Taker.ID, c.Holder.ID, row.name+c.Thing.Name+inNetwork(c.Thing))
		d.clash(c.Holder.ID, c.Taker.ID, row.name+c.Thing.Name+inNetwork(c.Thing))
	}
}

// clash adds the loss of what a VM has together with another one.
func (d *driller) clash(id, other manifest.ID, thing string) {
	key := cluster.KeyOf(id)
	d.clashes[key] = append(d.clashes[key], Loss{
		Kind: Clash, Object: other, Reason: thing + " is also that of " + named(other),
	})
}
