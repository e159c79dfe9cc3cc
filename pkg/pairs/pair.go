package pairs

import (
	"bytes"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Pair is an object on both sides; a side is nil if it has none.
type Pair struct {
	ID       manifest.ID
	Old, New []byte
	// git is the old side in Git if the cluster's replaces it.
	git []byte
	// missing is true if Git had the object, and the cluster does not; takenOver the
	// reverse.
	missing, takenOver bool
	// unseen is true if the old side is the cluster, which shows no object of the kind.
	unseen bool
}

// IsMachine reports whether the object is a VirtualMachine or a VirtualMachinePool.
func (p *Pair) IsMachine() bool {
	k := cluster.KindOf(p.ID)
	return k == cluster.KindVM || k == cluster.KindPool
}

// IsSame reports whether both sides have the same object.
func (p *Pair) IsSame() bool { return p.Old != nil && p.New != nil && bytes.Equal(p.Old, p.New) }

// Subject returns the pair as a subject.
func (p *Pair) Subject(c cluster.Settings) *impact.Subject {
	s := &impact.Subject{
		ID: p.ID, Old: manifest.Decode(p.Old), Cluster: c,
		Missing: p.missing, TakenOver: p.takenOver, Unseen: p.unseen,
	}
	s.New = p.decoded(p.New, s)
	s.Git = p.decoded(p.git, s)
	return s
}

// decoded returns the tree of another side of a subject: one that the subject has already, if it is of the same text.
func (p *Pair) decoded(text []byte, s *impact.Subject) manifest.Tree {
	switch {
	case text != nil && bytes.Equal(text, p.Old):
		return s.Old
	case text != nil && bytes.Equal(text, p.New) && s.New != nil:
		return s.New
	}
	return manifest.Decode(text)
}

// Former returns the old side in Git.
func (p *Pair) Former() []byte {
	if p.git != nil {
		return p.git
	}
	return p.Old
}
