package plan

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

const groupTypes = "instancetype.kubevirt.io"

// typeOf returns the `spec` of an instance type or a preference: that of the cluster, or else of Git, or else what
// KubeVirt installs. It implements [impact.TypeLookup].
func (p *planner) typeOf(kind, namespace, name string) manifest.Tree {
	if object := p.Live.Get(kind+"."+groupTypes, namespace, name); object != nil {
		return specOf(object)
	}
	if p.types == nil {
		p.readTypes()
	}
	if object := p.types[cluster.KeyFor(groupTypes, kind, namespace, name)]; object != nil {
		return specOf(object)
	}
	if p.common == nil {
		return nil
	}
	return p.common(kind, namespace, name)
}

func specOf(object manifest.Tree) manifest.Tree {
	spec, _ := object["spec"].(manifest.Tree)
	return spec
}

// readTypes finds the instance types and preferences of Git. Of one that changes, the new side counts: KubeVirt keeps
// what a VM was started with, and a sync of a type changes no VM.
func (p *planner) readTypes() {
	p.types = map[cluster.Key]manifest.Tree{}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if !strings.HasSuffix(cluster.KindOf(pair.ID), "."+groupTypes) {
			continue
		}
		side := pair.New
		if side == nil {
			side = pair.Old
		}
		p.types[cluster.KeyOf(pair.ID)] = manifest.Decode(side)
	}
}
