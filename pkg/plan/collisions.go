package plan

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// takes reports whether the next start of a VM takes something that it does not have now, and that the sync does not
// make for it. Only then can it meet another VM.
func (p *planner) takes(s *impact.Subject) bool {
	was, now := world.Spec(world.Template(s.Old)), world.Spec(world.Template(s.New))
	if s.IsPool() || now == nil {
		return false
	}
	if instance := s.Instance(); instance != nil {
		was = manifest.At(instance, "spec")
	}
	switch {
	case was == nil:
		return true
	case holdsSame(was, now):
		return false
	case world.NetworkData(was, nil) != world.NetworkData(now, nil):
		return true
	}
	old := world.Held(s.ID.Namespace, was)
	return slices.ContainsFunc(world.Held(s.ID.Namespace, now), func(t world.Thing) bool {
		return !slices.Contains(old, t) && !p.makes(s, t)
	})
}

// holdsSame reports whether two specs are the same in all that decides what an instance holds. Most changes are of
// something else.
func holdsSame(was, now any) bool {
	for _, path := range [][]string{{"volumes"}, {"networks"}, {"domain", "devices"}, {"domain", "firmware"}} {
		if !diff.Same(manifest.At(was, path...), manifest.At(now, path...)) {
			return false
		}
	}
	return true
}

// makes reports whether a thing is a disk that the sync makes for a VM.
func (p *planner) makes(s *impact.Subject, t world.Thing) bool {
	if t.Kind != world.Claim {
		return false
	}
	if manifest.At(s.New, "spec", "dataVolumeTemplates", "["+t.Name+"]") != nil {
		return true
	}
	disk := p.Find("cdi.kubevirt.io", "DataVolume", t.Scope, t.Name)
	return disk != nil && disk.Old == nil && labelApp(manifest.Decode(disk.New)) == s.ID.Name
}

// collide finds the VMs that have a claim or an address at the same time as another, in some order of the sync and
// the next starts, and judges them again. A plan in which no VM takes anything costs nothing.
func (p *planner) collide() {
	if len(p.takers) == 0 || !p.hasOthers() {
		return
	}
	all := world.Collisions(p.machines())
	exchanges := exchangesOf(all)
	p.collisions = map[*pairs.Pair][]impact.Cause{}
	for _, c := range all {
		if at := p.judgedAt(c); at != nil && !p.isBlueGreenPair(c) {
			p.collisions[at] = append(p.collisions[at], collision(c, exchanges))
		}
	}
	for i := range p.out.VMs {
		if pair := p.ByKey[cluster.KeyOf(p.out.VMs[i].ID)]; len(p.collisions[pair]) > 0 {
			p.out.VMs[i] = p.judge(pair)
		}
	}
}

// judgedAt returns the VM whose verdict a collision belongs to: the one that takes the thing, or if the sync does not
// change that one, the one that has it. It is nil if the plan has no verdict on it.
func (p *planner) judgedAt(c world.Collision) *pairs.Pair {
	at := p.ByKey[cluster.KeyOf(c.Taker.ID)]
	if !c.Taker.Changes {
		at = p.ByKey[cluster.KeyOf(c.Holder.ID)]
	}
	if at != nil && p.successors[at] != nil {
		return p.successors[at]
	}
	return at
}

// hasOthers reports whether there are VMs before the sync: new ones alone are checked where they are rendered.
func (p *planner) hasOthers() bool {
	isOld := func(pair pairs.Pair) bool { return pair.IsMachine() && pair.Old != nil }
	return slices.ContainsFunc(p.Pairs, isOld) || p.Live != nil && len(p.Live.ByKind[cluster.KindVM]) > 0
}

// isBlueGreenPair reports whether the two are revisions of one VM, which run at the same time by intent.
func (p *planner) isBlueGreenPair(c world.Collision) bool {
	was := p.predecessors[p.ByKey[cluster.KeyOf(c.Taker.ID)]]
	return was != nil && was.ID == c.Holder.ID && isBlueGreen(manifest.Decode(was.Former()))
}

// fewNames is up to how many names are looked for in the text of VMs before these are decoded.
const fewNames = 16

// machines returns the VMs that take something, and the others that may have it.
func (p *planner) machines() []*world.Machine {
	var out []*world.Machine
	taken, takers := world.Names{}, map[*pairs.Pair]bool{}
	for _, pair := range p.takers {
		m := p.placed(pair, nil)
		out, takers[pair] = append(out, m), true
		for _, t := range m.Next {
			taken[t.Name] = true
		}
	}
	if len(taken) > fewNames {
		taken = nil
	}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if cluster.KindOf(pair.ID) == cluster.KindVM && !takers[pair] && (taken == nil || p.mayHave(pair, taken)) {
			out = append(out, p.placed(pair, taken))
		}
	}
	return append(out, p.outside(taken)...)
}

// mayHave reports whether a VM may have one of a few things: their names are in its text, or its addresses are in a
// Secret or in the state of the cluster.
func (p *planner) mayHave(pair *pairs.Pair, names world.Names) bool {
	if p.Live.Machine(pair.ID) != nil {
		return true
	}
	for _, side := range [][]byte{pair.Old, pair.New} {
		text := bytes.ToLower(side)
		if bytes.Contains(text, []byte("networkdatasecretref")) {
			return true
		}
		if names.In(string(text)) {
			return true
		}
	}
	return false
}

// placed returns a VM of the plan as the model of the world has it, with those of its static addresses that are among
// the names.
func (p *planner) placed(pair *pairs.Pair, among world.Names) *world.Machine {
	s := p.Subject(pair)
	s.Live = p.Live.Machine(pair.ID)
	m := &world.Machine{ID: pair.ID, Changes: !pair.IsSame()}
	switch {
	case s.New != nil && s.Old == nil:
		m.Fate = world.Comes
	case s.New != nil:
	case stays(s.Old):
		m.Fate = world.Left
	default:
		m.Fate = world.Goes
	}
	starts := s.New != nil && !slices.Contains([]string{"Halted", "Manual"}, world.RunStrategy(s.New))
	m.Off = s.Old == nil && !starts || s.Old != nil && s.Runs() == cluster.No && !starts
	if s.Old != nil && s.Runs() != cluster.No {
		m.Now = p.held(s, s.Old, p.sources(pair.ID.Namespace, false, among))
	}
	switch {
	case s.New != nil:
		m.Next = world.Addressed(pair.ID.Namespace, world.Spec(s.New), p.sources(pair.ID.Namespace, true, among))
	case m.Fate == world.Left && m.Off:
		m.Next = world.Addressed(pair.ID.Namespace, world.Spec(s.Old), p.sources(pair.ID.Namespace, false, among))
	case m.Fate == world.Left:
		m.Next = m.Now
	}
	p.keepOwn(m, s, s.Old, among)
	return m
}

// keepOwn adds to what a VM takes at its next start the addresses that its guest has from elsewhere than Git: it comes
// back with them.
func (p *planner) keepOwn(m *world.Machine, s *impact.Subject, declared manifest.Tree, among world.Names) {
	if m.Fate == world.Goes || s.Live == nil || s.Live.Instance == nil {
		return
	}
	given := world.Addressed(s.ID.Namespace, world.Spec(declared), p.sources(s.ID.Namespace, false, among))
	for _, t := range m.Now {
		if t.Kind == world.IP && !slices.Contains(given, t) && !slices.Contains(m.Next, t) {
			m.Next = append(m.Next, t)
		}
	}
}

// held returns what a VM that runs holds: as its instance reports it, or else as it was declared.
func (p *planner) held(s *impact.Subject, vm manifest.Tree, from world.Sources) []world.Thing {
	if s.Live != nil && s.Live.Instance != nil {
		return world.HeldBy(s.Live.Instance, from)
	}
	return world.Addressed(s.ID.Namespace, world.Spec(vm), from)
}

// sources returns where the addresses of guests on one side are found, and which of them matter.
func (p *planner) sources(namespace string, isNew bool, among world.Names) world.Sources {
	return world.Sources{Among: among, Secret: func(name string) manifest.Tree {
		pair := p.Find("", "Secret", namespace, name)
		switch {
		case pair == nil:
			return p.Live.Secret(namespace, name)
		case isNew:
			return manifest.Decode(pair.New)
		}
		return manifest.Decode(pair.Former())
	}}
}

// outside returns the VMs in the cluster that the plan has on no side.
func (p *planner) outside(among world.Names) []*world.Machine {
	if p.Live == nil {
		return nil
	}
	var out []*world.Machine
	apps := p.Applications()
	for _, e := range p.Live.ByKind[cluster.KindVM] {
		if p.ByKey[cluster.KeyOf(e.ID)] != nil {
			continue
		}
		s := &impact.Subject{ID: e.ID, Old: e.Object, Live: p.Live.Machine(e.ID)}
		from := p.sources(e.ID.Namespace, false, among)
		m := &world.Machine{
			ID: e.ID, Next: world.Addressed(e.ID.Namespace, world.Spec(e.Object), from), Off: s.Runs() == cluster.No,
		}
		if slices.Contains(apps, p.Live.Application(e.ID)) {
			m.Fate = world.Left
		}
		if !m.Off {
			m.Now = p.held(s, e.Object, from)
		}
		p.keepOwn(m, s, e.Object, among)
		out = append(out, m)
	}
	return out
}

// The codes of collisions, by what two VMs have.
var collisionCodes = map[world.Kind]impact.Code{
	world.Claim: "two-writers", world.MAC: "same-address", world.IP: "same-address",
	world.UUID: "same-identity", world.Serial: "same-identity",
}

// collisionWords name a thing, and say what follows if two VMs that run have it.
var collisionWords = map[world.Kind]struct{ name, after, key, other string }{
	world.Claim: {
		"the disk", "both write to it, which destroys a file system", "disks",
		"set readOnly: true, or shareable: true on both",
	},
	world.MAC:    {"the MAC address", "two NICs of one network have it, and both lose packets", "nics", otherAddress},
	world.IP:     {"the address", "two guests of one network have it, and both lose connections", "nics", otherAddress},
	world.UUID:   {"the UUID", "two guests have one identity", "firmware", otherAddress},
	world.Serial: {"the serial number", "two guests have one identity", "firmware", otherAddress},
}

// exchange is a VM that takes something of another until that one restarts.
type exchange struct{ taker, holder *world.Machine }

func exchangesOf(all []world.Collision) map[exchange]bool {
	out := map[exchange]bool{}
	for _, c := range all {
		if c.Until == world.HolderStops {
			out[exchange{c.Taker, c.Holder}] = true
		}
	}
	return out
}

// collision returns the cause of a collision. If the holder of a thing takes one of the taker's in turn, neither can be
// first.
func collision(c world.Collision, exchanges map[exchange]bool) impact.Cause {
	words := collisionWords[c.Thing.Kind]
	thing := words.name + " " + c.Thing.Name
	out := impact.Cause{Level: impact.Recreate, Code: collisionCodes[c.Thing.Kind], Key: words.key, Warning: true}
	if c.Thing.Kind == world.Claim {
		out.Level = impact.DataLoss
	}
	after := words.after
	if c.Holder.Off || c.Taker.Off {
		out.Level, after = impact.None, "never start both"
	}
	other := c.Holder.ID
	if !c.Taker.Changes {
		other = c.Taker.ID
	}
	fate, advice := fateOf(c, other, words.other)
	if c.Until == world.HolderStops && exchanges[exchange{c.Holder, c.Taker}] {
		advice = "stop both VMs, and start them when both have shut down"
	}
	out.Reason, out.Advice = fmt.Sprintf(fate, other, thing, after), advice
	if c.Until == world.HolderStops && c.Taker.Fate != world.Comes {
		out.When = impact.AtNextStart
	}
	return out
}

// fateOf returns what becomes of the other VM of a collision, as a format of the VM, the thing and what follows, and
// what to do.
func fateOf(c world.Collision, other manifest.ID, both string) (format, advice string) {
	switch {
	case !c.Taker.Changes && c.Until == world.HolderStops:
		return "%s takes %s at its next start, and this VM has it until it restarts or is gone: until then, %s",
			fmt.Sprintf("do not start %s again before this VM has restarted or is gone", other)
	case !c.Taker.Changes:
		return "%s takes %s at its next start, and this VM keeps it: %s", both
	case c.Holder.Fate == world.Left && c.Holder.Off:
		return "%s is no longer in Git, keeps %s, stays and is stopped: %s", adviceLeft
	case c.Holder.Fate == world.Left:
		return "%s is no longer in Git, keeps %s, stays and continues to run: %s", adviceLeft
	case c.Holder.Fate == world.Goes && c.Taker.Fate == world.Comes:
		return "%s, which the sync deletes, has %s until it has shut down: until then, %s", adviceGone
	case c.Holder.Fate == world.Goes:
		return "%s, which the sync deletes, has %s until it has shut down: if the VM starts with it before that, %s",
			adviceGone
	case c.Until == world.HolderStops && c.Thing.Kind == world.IP:
		return "%s has %s until its guest gives it up: if the VM starts with it before that, %s", fmt.Sprintf(
			"change the address in the guest of %s first: cloud-init sets it at the first boot only", other)
	case c.Until == world.HolderStops:
		return "%s has %s until it restarts: if the VM starts with it before that, %s", fmt.Sprintf(
			"restart or stop %s first, or make the two changes in two commits with its restart between them", other)
	}
	return "%s has %s as well: %s", both
}

const (
	otherAddress = "give one of them another one"
	adviceGone   = "delete the old VM in a commit before this one, and wait until it is gone"
)

// adviceLeft is what to do about a VM that stays without being in Git.
const adviceLeft = "stop the old VM and set its lifecycle.removal to approved, in a commit before this one"
