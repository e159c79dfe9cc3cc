package compare

import (
	"context"
	"fmt"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/revision"
)

// history loads sides from the revisions of a repository.
type history struct {
	*Loader
	repo *revision.Repository
}

// past is a side as it is in a revision.
type past struct {
	Side
	commit revision.Commit
	fate   fate   // of all objects, if the side does not exist
	lacks  string // the overlay without which the side does not exist, or empty
}

// loadRevisions loads two revisions of a path.
func (l *Loader) loadRevisions(ctx context.Context, s Sides) (from, to Loaded, err error) {
	path := s.To.Path
	repo, err := revision.Open(ctx, path, l.Environ)
	if err != nil {
		return from, to, err
	}
	before, after := past{Side: s.From, fate: added}, past{Side: s.To, fate: removed}
	if before.commit, after.commit, err = repo.Resolve(ctx, s.From.Revision, s.To.Revision); err != nil {
		return from, to, err
	}
	h := history{l, repo}
	if before.lacks, after.lacks, err = h.absentOverlays(ctx, before, after); err != nil {
		return from, to, err
	}
	if from, err = h.load(ctx, before); err != nil {
		return from, to, err
	}
	if to, err = h.load(ctx, after); err != nil {
		return from, to, err
	}
	if from.missing && to.missing {
		return from, to, fmt.Errorf("%s: no fleet or platform here or above, neither in %s nor in %s",
			path, before.commit, after.commit)
	}
	return from, to, nil
}

// load loads one side.
func (h *history) load(ctx context.Context, p past) (Loaded, error) {
	switch {
	case p.lacks != "":
		return p.withoutOverlay(), nil
	case p.commit.IsWorktree():
		return h.loadWorktree(ctx, p)
	}
	var l Loaded
	err := h.read(ctx, p, func(copied *revision.Checkout, o fleet.Options) (err error) {
		if copied.Missing {
			l = p.without(p.Path)
			return nil
		}
		root := h.Platform.Root
		if root != "" {
			root = copied.Path(root)
		}
		if l, err = h.loadPath(p.commit.String(), copied.Path(p.Path), o, root); err == nil {
			copied.Relabel(l.Diags)
		}
		return err
	})
	return l, err
}

// read calls a function with a copy of the files of a side, and the options that read it. The copy is removed
// afterwards, and if the user interrupts the program.
func (h *history) read(ctx context.Context, p past, use func(*revision.Checkout, fleet.Options) error) error {
	o := h.Options(p.Side)
	copied, err := h.repo.Checkout(ctx, p.commit, p.Path, o.Overlays...)
	if err != nil {
		return err
	}
	defer copied.Close() //nolint:errcheck // what is left in the temporary directory is not a problem of the input
	defer context.AfterFunc(ctx, func() {
		_ = copied.Close()
		h.Stop()
	})()
	for i, overlay := range o.Overlays {
		o.Overlays[i] = copied.Path(overlay)
	}
	return use(copied, o)
}

// loadWorktree loads the files as they are.
func (h *history) loadWorktree(ctx context.Context, p past) (Loaded, error) {
	exists, err := h.repo.Exists(ctx, p.commit, p.Path)
	if err != nil {
		return Loaded{}, err
	}
	if !exists {
		return p.without(p.Path), nil
	}
	o := h.Options(p.Side)
	p.commit.Changed, err = h.repo.Changed(ctx, p.commit, p.Path, o.Overlays...)
	if err != nil {
		return Loaded{}, err
	}
	return h.loadPath(p.commit.String(), p.Path, o, h.Platform.Root)
}
