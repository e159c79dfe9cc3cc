package plan

import (
	"cmp"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/upgrade"
)

// toVersion sets the cluster's version to that after an upgrade, and remembers the one before.
func (p *planner) toVersion(o Options) {
	observed, _ := cluster.ReadSettings(cluster.Settings{}, o.Live)
	p.observed = observed.KubeVirt
	p.Cluster.KubeVirt = cmp.Or(o.Upgrade.To["kubevirt"], p.Cluster.KubeVirt)
}

// upgrade adds what an upgrade changes to the verdicts and notes.
func (p *planner) upgrade(u *upgrade.Upgrade) {
	if u == nil {
		return
	}
	if own := u.From["kubevirt"]; p.observed != "" && own != "" && !upgrade.IsSameMinor(p.observed, own) {
		p.Note("the cluster has KubeVirt %s, and the plan is about an upgrade from %s", p.observed, own)
	}
	before := p.Cluster
	before.KubeVirt, before.ArgoCD = cmp.Or(u.From["kubevirt"], before.KubeVirt), cmp.Or(u.From["argocd"], before.ArgoCD)
	for _, product := range upgrade.Products() {
		if u.To[product.Name] == "" {
			continue
		}
		if facts := u.Meets(product.Name); len(facts) > 0 {
			p.upgradeFacts(facts, before)
		} else if product.Name != "openshift" { // whose facts are those of its KubeVirt
			p.Note("no fact is known by which an upgrade from %s %s to %s changes VMs whose manifests stay the same",
				product.Name, u.From[product.Name], u.To[product.Name])
		}
	}
}

func (p *planner) upgradeFacts(facts []upgrade.Fact, before cluster.Settings) {
	noted := make([][]string, len(facts))
	for i := range p.out.VMs {
		v := &p.out.VMs[i]
		pair := p.ByKey[cluster.KeyOf(v.ID)]
		if pair == nil || pair.New == nil {
			continue
		}
		m := p.upgraded(pair, before)
		for j := range facts {
			f := &facts[j]
			switch {
			case f.If.Holds != nil && !f.If.Holds(m):
			case f.Level == impact.None:
				noted[j] = append(noted[j], v.ID.Namespace+"/"+v.ID.Name)
			default:
				v.Causes = append(v.Causes, f.Cause(m))
			}
		}
		again := verdict(v.ID, v.Causes)
		v.Level, v.Approximate, v.Causes = again.Level, again.Approximate, again.Causes
	}
	for j, names := range noted {
		if len(names) > 0 {
			p.Note("from %s %s on, %s (%s: %s)",
				facts[j].Product, facts[j].Version, facts[j].Reason, wording.Plural(len(names), "VM", "VMs"), wording.Some(names))
		}
	}
}

// upgraded returns a VM as it is when its platform is upgraded.
func (p *planner) upgraded(pair *pairs.Pair, before cluster.Settings) *upgrade.Upgraded {
	s := p.Subject(pair)
	s.Live = p.Live.Machine(pair.ID)
	if s.Old == nil {
		s.Old = s.New
	}
	s.Disks = p.DisksOf(s)
	return &upgrade.Upgraded{Subject: s, Before: before}
}
