package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Upgrade is a change of the platform below an unchanged fleet: the versions before and after,
// by product, such as "kubevirt": "1.8". Both have the same products.
type Upgrade struct{ From, To map[string]string }

// Product is a part of the platform whose upgrades are planned.
type Product struct {
	Name string // such as "kubevirt"
	// Oldest and Newest are the minor versions between which the facts are known.
	Oldest, Newest string
}

// Products returns the products whose upgrades are planned, by name.
func Products() []Product {
	all := make([]Product, 0, len(versions.Known()))
	for name, known := range versions.Known() {
		all = append(all, Product{string(name), known.Oldest, known.Newest})
	}
	slices.SortFunc(all, func(a, b Product) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Knows reports whether a version, such as "1.8" or "1.8.4", is one whose facts are known.
func (p *Product) Knows(v string) bool {
	minor := versions.Parse(v).Minor()
	return !minor.Before(versions.Parse(p.Oldest)) && !versions.Parse(p.Newest).Before(minor)
}

// UpgradeFact is something that an upgrade changes for VMs, even if no manifest changes.
type UpgradeFact struct {
	Product string
	// Version is the first with the fact: an upgrade from an older version to it or a newer
	// one meets it.
	Version string
	// If is the condition on a VM; always, if it is empty.
	If UpgradeCondition
	// Level is what happens to the VM. Facts of level None are notes on the plan: what
	// later changes will do.
	Level  Level
	Reason string
	Advice string
	When   string
	// Open is what is not known about a VM, if the fact depends on it; it may be empty.
	Open   func(*upgraded) string
	Source string
	// Warning marks what is dangerous later.
	Warning bool
}

// UpgradeCondition is a named condition on a VM whose platform is upgraded.
type UpgradeCondition struct {
	Text  string // for the reference: "with a container disk"
	holds func(*upgraded) bool
}

// upgraded is a VM, with the settings of the cluster before the upgrade; those of its
// subject are after it.
type upgraded struct {
	*subject
	before Cluster
}

// turnsOn reports whether the upgrade turns a feature gate on.
func (u *upgraded) turnsOn(gate string) bool { return !u.before.gate(gate) && u.cluster.gate(gate) }

// toVersion sets the cluster's version to that after an upgrade, and remembers the one before.
func (p *planner) toVersion(o Options) {
	observed, _ := ReadCluster(Cluster{}, o.Live)
	p.observed = observed.KubeVirt
	p.cluster.KubeVirt = cmp.Or(o.Upgrade.To["kubevirt"], p.cluster.KubeVirt)
}

// upgrade adds what an upgrade changes to the verdicts and notes.
func (p *planner) upgrade(u *Upgrade) {
	if u == nil {
		return
	}
	if own := u.From["kubevirt"]; p.observed != "" && own != "" && !isSameMinor(p.observed, own) {
		p.note("the cluster has KubeVirt %s, and the plan is about an upgrade from %s", p.observed, own)
	}
	before := p.cluster
	before.KubeVirt, before.ArgoCD = cmp.Or(u.From["kubevirt"], before.KubeVirt), cmp.Or(u.From["argocd"], before.ArgoCD)
	for _, product := range Products() {
		if u.To[product.Name] == "" {
			continue
		}
		if facts := u.meets(product.Name); len(facts) > 0 {
			p.upgradeFacts(facts, before)
		} else if product.Name != "openshift" { // whose facts are those of its KubeVirt
			p.note("no fact is known by which an upgrade from %s %s to %s changes VMs whose manifests stay the same",
				product.Name, u.From[product.Name], u.To[product.Name])
		}
	}
}

// isSameMinor reports whether two versions are the same except for their patch releases.
func isSameMinor(a, b string) bool {
	return versions.Parse(a).Minor() == versions.Parse(b).Minor()
}

// meets returns the facts about a product that lie between the two versions.
func (u *Upgrade) meets(product string) []UpgradeFact {
	from, to := versions.Parse(u.From[product]), versions.Parse(u.To[product])
	return slices.DeleteFunc(UpgradeFacts(), func(f UpgradeFact) bool {
		since := versions.Parse(f.Version)
		return f.Product != product || !from.Before(since) || to.Before(since)
	})
}

func (p *planner) upgradeFacts(facts []UpgradeFact, before Cluster) {
	noted := make([][]string, len(facts))
	for i := range p.out.VMs {
		v := &p.out.VMs[i]
		pair := p.byKey[keyOf(v.ID)]
		if pair == nil || pair.new == nil {
			continue
		}
		m := p.upgraded(pair, before)
		for j := range facts {
			f := &facts[j]
			switch {
			case f.If.holds != nil && !f.If.holds(m):
			case f.Level == None:
				noted[j] = append(noted[j], v.ID.Namespace+"/"+v.ID.Name)
			default:
				v.Causes = append(v.Causes, f.cause(m))
			}
		}
		again := verdict(v.ID, v.Causes)
		v.Level, v.Approximate, v.Causes = again.Level, again.Approximate, again.Causes
	}
	for j, names := range noted {
		if len(names) > 0 {
			p.note("from %s %s on, %s (%s: %s)",
				facts[j].Product, facts[j].Version, facts[j].Reason, plural(len(names), "VM", "VMs"), some(names))
		}
	}
}

// upgraded returns a VM as it is when its platform is upgraded.
func (p *planner) upgraded(pair *pair, before Cluster) *upgraded {
	s := p.subject(pair)
	s.live = p.live.machine(pair.id)
	if s.old == nil {
		s.old = s.new
	}
	s.disks = p.disksOf(s)
	return &upgraded{s, before}
}

// cause returns the cause of a fact for a VM.
func (f *UpgradeFact) cause(u *upgraded) Cause {
	c := Cause{
		Level: f.Level, Code: "upgrade", Reason: fmt.Sprintf("%s %s: %s", f.Product, f.Version, f.Reason), Advice: f.Advice,
		When: f.When, Warning: f.Warning,
	}
	if f.Open != nil {
		c.Approximate = f.Open(u)
	}
	return c
}
