package compare

import (
	"context"
	"fmt"

	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/source"
)

// fate is what becomes of all objects if one side does not exist.
type fate string

const (
	added   fate = "new"     // if the old side does not exist
	removed fate = "removed" // if the new side does not exist
)

// absentOverlays returns the overlay that a side does not have, so that its environment, and so the side, does not
// exist. At most one of them is not empty.
//
// The environment of --overlay is that of the last one, and is new if the old side does not have that. A file that
// the new side does not have is an error, because an Application with it can no longer be rendered. The removal of an
// environment is --from-overlay with a file that the new side does not have, and nothing in its place.
func (h *history) absentOverlays(ctx context.Context, before, after past) (inOld, inNew string, err error) {
	shared, own := h.Fleet.Overlays, before.Overlays
	if len(shared)+len(own) == 0 {
		return "", "", nil
	}
	for _, c := range []revision.Commit{before.commit, after.commit} {
		if exists, err := h.repo.Exists(ctx, c, after.Path); err != nil || !exists {
			return "", "", err // all of the fleet is new or removed, with its overlays
		}
	}
	for i, file := range shared {
		exists, err := h.checkOverlay(ctx, before.commit, after.commit, file)
		if err != nil {
			return "", "", err
		}
		if !exists && i == len(shared)-1 && len(own) == 0 {
			inOld = file
		}
	}
	if len(own) == 0 || len(after.Overlays) > 0 {
		return inOld, "", nil
	}
	last := own[len(own)-1]
	if exists, err := h.repo.HasFile(ctx, after.commit, last); err != nil || exists {
		return "", "", err
	}
	return "", last, nil
}

// checkOverlay reports whether the old side has an overlay of both sides, and returns an error if the new side does
// not have it.
func (h *history) checkOverlay(ctx context.Context, old, changed revision.Commit, file string) (inOld bool, err error) {
	inOld, err = h.repo.HasFile(ctx, old, file)
	if err != nil {
		return false, err
	}
	inNew, err := h.repo.HasFile(ctx, changed, file)
	switch {
	case err != nil || inNew:
		return inOld, err
	case !inOld:
		return false, fmt.Errorf("%s: no such file, neither in %s nor in %s", file, old, changed)
	}
	return true, fmt.Errorf("%s: no such file in %s, only in %s; "+
		"if it is renamed, use --from-overlay %[1]s --to-overlay NEW; if its environment is removed, use only --from-overlay",
		file, changed, old)
}

// without returns the side if a file or directory does not exist in its revision.
func (p *past) without(path string) Loaded {
	return Loaded{
		Label: p.commit.String() + ", where it does not exist", missing: true, Diags: new(source.Diagnostics),
		Note: fmt.Sprintf("%s does not exist in %s, so everything is %s", path, p.commit, p.fate),
	}
}

// withoutOverlay returns the side without the overlay that it lacks, and so without its environment.
func (p *past) withoutOverlay() Loaded {
	advice := "if it is a renamed overlay, use --from-overlay OLD --to-overlay " + p.lacks + " instead of --overlay"
	if p.fate == removed {
		advice = "to compare with the fleet without it, use --to-overlay with an empty file"
	}
	l := p.without(p.lacks)
	l.Label = fmt.Sprintf("%s, where %s does not exist", p.commit, p.lacks)
	l.Note += "; " + advice
	return l
}
