package upgrade

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
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

// Fact is something that an upgrade changes for VMs, even if no manifest changes.
type Fact struct {
	Product string
	// Version is the first with the fact: an upgrade from an older version to it or a newer
	// one meets it.
	Version string
	// If is the condition on a VM; always, if it is empty.
	If Condition
	// Level is what happens to the VM. Facts of level None are notes on the plan: what
	// later changes will do.
	Level  impact.Level
	Reason string
	Advice string
	When   string
	// Open is what is not known about a VM, if the fact depends on it; it may be empty.
	Open   func(*Upgraded) string
	Source string
	// Warning marks what is dangerous later.
	Warning bool
	// Reported marks what users report and no source code shows.
	Reported bool
}

// Condition is a named condition on a VM whose platform is upgraded.
type Condition struct {
	Text  string // for the reference: "with a container disk"
	Holds func(*Upgraded) bool
}

// Upgraded is a VM, with the settings of the cluster before the upgrade; those of its
// subject are after it.
type Upgraded struct {
	*impact.Subject
	Before cluster.Settings
}

// turnsOn reports whether the upgrade turns a feature gate on.
func (u *Upgraded) turnsOn(gate string) bool { return !u.Before.Gate(gate) && u.Cluster.Gate(gate) }

// IsSameMinor reports whether two versions are the same except for their patch releases.
func IsSameMinor(a, b string) bool {
	return versions.Parse(a).Minor() == versions.Parse(b).Minor()
}

// Meets returns the facts about a product that lie between the two versions.
func (u *Upgrade) Meets(product string) []Fact {
	from, to := versions.Parse(u.From[product]), versions.Parse(u.To[product])
	return slices.DeleteFunc(Facts(), func(f Fact) bool {
		since := versions.Parse(f.Version)
		return f.Product != product || !from.Before(since) || to.Before(since)
	})
}

// Cause returns the cause of a fact for a VM.
func (f *Fact) Cause(u *Upgraded) impact.Cause {
	c := impact.Cause{
		Level: f.Level, Code: "upgrade", Reason: fmt.Sprintf("%s %s: %s", f.Product, f.Version, f.Reason), Advice: f.Advice,
		When: f.When, Warning: f.Warning,
	}
	if f.Open != nil {
		c.Approximate = f.Open(u)
	}
	return c
}
