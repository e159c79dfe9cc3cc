package main

import (
	"context"
	"fmt"

	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/source"
)

// absent are the overlays that one revision does not have, so that their environment does not exist there. They are
// empty if there is none.
type absent struct{ from, to string }

// absentOverlays returns the overlay without which a side does not exist.
//
// The environment of --overlay is that of the last one, and is new if the old side does not have that. A file that
// the new side does not have is an error, because an Application with it can no longer be rendered. The removal of an
// environment is --from-overlay with a file that the new side does not have, and nothing in its place.
func (f *sideFlags) absentOverlays(
	ctx context.Context, repo *revision.Repository, old, changed revision.Commit, path string,
) (absent, error) {
	shared, own := f.fleet.overlays, f.from.overlays
	if len(shared)+len(own) == 0 {
		return absent{}, nil
	}
	for _, c := range []revision.Commit{old, changed} {
		if exists, err := repo.Exists(ctx, c, path); err != nil || !exists {
			return absent{}, err // all of the fleet is new or removed, with its overlays
		}
	}
	var a absent
	for i, file := range shared {
		inOld, err := checkOverlay(ctx, repo, old, changed, file)
		if err != nil {
			return absent{}, err
		}
		if !inOld && i == len(shared)-1 && len(own) == 0 {
			a.from = file
		}
	}
	if len(own) == 0 || len(f.to.overlays) > 0 {
		return a, nil
	}
	last := own[len(own)-1]
	if exists, err := repo.HasFile(ctx, changed, last); err != nil || exists {
		return absent{}, err
	}
	return absent{to: last}, nil
}

// checkOverlay reports whether the old side has an overlay of both sides, and returns an error if the new side does
// not have it.
func checkOverlay(
	ctx context.Context, repo *revision.Repository, old, changed revision.Commit, file string,
) (inOld bool, err error) {
	inOld, err = repo.HasFile(ctx, old, file)
	if err != nil {
		return false, err
	}
	inNew, err := repo.HasFile(ctx, changed, file)
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

// withoutPath returns the side of a revision in which PATH does not exist.
func (f *sideFlags) withoutPath(c revision.Commit, path string, own *ownFlags) loaded {
	return loaded{
		label: c.String() + ", where it does not exist", missing: true, diags: new(source.Diagnostics),
		note: fmt.Sprintf("%s does not exist in %s, so everything is %s", path, c, f.fate(own)),
	}
}

// withoutOverlay returns the side of a revision in which an overlay, and so its environment, does not exist.
func (f *sideFlags) withoutOverlay(c revision.Commit, file string, own *ownFlags) loaded {
	advice := "if it is a renamed overlay, use --from-overlay OLD --to-overlay " + file + " instead of --overlay"
	if own == &f.to {
		advice = "to compare with the fleet without it, use --to-overlay with an empty file"
	}
	l := f.withoutPath(c, file, own)
	l.label = fmt.Sprintf("%s, where %s does not exist", c, file)
	l.note += "; " + advice
	return l
}

// fate is what becomes of all objects if one side does not exist.
func (f *sideFlags) fate(own *ownFlags) string {
	if own == &f.to {
		return "removed"
	}
	return "new"
}
