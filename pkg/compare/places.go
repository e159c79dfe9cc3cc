package compare

import (
	"context"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/source"
)

// Places are where the files of a side set the values of VMs; see [fleet.Places].
type Places struct {
	read     *fleet.Places // nil if the files cannot be read
	original func(file string) string
}

// Places reads the new side, a fleet, once more, for some VMs, which are given as namespace/name. Of a revision, the
// places are in the files of the work tree, with the lines that they have in the revision.
func (l *Loader) Places(ctx context.Context, s Sides, vms []string) *Places {
	if s.To.IsAsItIs() {
		asItIs := func(file string) string { return file }
		return &Places{fleet.ReadPlaces(s.To.Path, l.Options(s.To), vms), asItIs}
	}
	if p, err := l.placesIn(ctx, s, vms); err == nil {
		return p
	}
	return new(Places) // what a plan says does not depend on it
}

// placesIn reads the places in the revision of the new side.
func (l *Loader) placesIn(ctx context.Context, s Sides, vms []string) (*Places, error) {
	repo, err := revision.Open(ctx, s.To.Path, l.Environ)
	if err != nil {
		return nil, err
	}
	_, commit, err := repo.Resolve(ctx, s.From.Revision, s.To.Revision)
	if err != nil {
		return nil, err
	}
	p := new(Places)
	h := history{l, repo}
	err = h.read(ctx, past{Side: s.To, commit: commit}, func(copied *revision.Checkout, o fleet.Options) error {
		p.read = fleet.ReadPlaces(copied.Path(s.To.Path), o, vms)
		p.original = func(file string) string { return copied.Original(file, s.To.Path) }
		return nil
	})
	return p, err
}

// Of returns the place of a value as [fleet.Places.Of] does. It is empty if the files could not be read.
func (p *Places) Of(vm, key string) source.Pos {
	if p.read == nil {
		return source.Pos{}
	}
	at := p.read.Of(vm, key)
	at.File = p.original(at.File)
	return at
}
