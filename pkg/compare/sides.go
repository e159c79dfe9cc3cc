// Package compare finds out which two states a command compares, and loads both: two revisions of a path, two sets of
// objects, or what a cluster has and the files.
package compare

import (
	"errors"
	"fmt"

	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/upgrade"
)

// Request is what a user asks to compare. Errors name its parts as arguments and flags.
type Request struct {
	Args     []string // PATH, which defaults to the working directory; or OLD and NEW
	From, To Own
	Live     bool // --live: whether the state in the cluster is known
	// Given reports whether the user has set a flag, which is not the same as another value than its default.
	Given func(flag string) bool
}

// Own is what a user sets for one side only.
type Own struct {
	Revision string   // --from, --to; empty if there is none
	Overlays []string // --from-overlay, --to-overlay: files
	Sets     []string // --from-set, --to-set: vars, as "key=value"
	Targets  []string // --target-from, --target-to: versions of the platform, such as "kubevirt=1.8"
}

func (o *Own) isEmpty() bool { return len(o.Overlays)+len(o.Sets)+len(o.Targets) == 0 }

// Origin is where the objects of a side come from.
type Origin int

// The origins.
const (
	Files   Origin = iota // a fleet, a part of one, or a platform, as it is in a revision
	Set                   // one of two arguments: like Files, or manifests
	Cluster               // what Argo CD has applied last
)

// Side is one side of a comparison.
type Side struct {
	Origin   Origin
	Path     string            // "-" is standard input; empty for a cluster
	Revision string            // of Files
	Overlays []string          // files to merge over those of both sides
	Sets     []string          // vars in addition to those of both sides
	Unheld   bool              // whether VMs that are held are loaded as the values files have them
	Target   map[string]string // versions that replace those of the fleet's target, by product; nil if there are none
}

// IsAsItIs reports whether the side is read from the files as they are, and not from a revision or a cluster.
func (s *Side) IsAsItIs() bool {
	return s.Origin == Set || s.Origin == Files && s.Revision == revision.Worktree
}

// Sides are the old and the new state of a comparison.
type Sides struct {
	From, To Side
	Upgrade  *upgrade.Upgrade // of the platform, by which both sides differ; nil if there is none
}

// ReadsGit reports whether a side is a revision in Git: not the files as they are.
func (s *Sides) ReadsGit() bool {
	return s.From.Origin == Files && !(s.From.IsAsItIs() && s.To.IsAsItIs())
}

// Choose returns the sides that a request is about. It returns an error if arguments and flags do not fit each other.
func Choose(r Request) (Sides, error) {
	upgrade, err := upgradeOf(r.From.Targets, r.To.Targets)
	if err != nil {
		return Sides{}, err
	}
	var sides Sides
	if len(r.Args) == 2 {
		sides, err = sets(r)
	} else {
		sides, err = revisions(r)
	}
	if upgrade != nil {
		sides.Upgrade, sides.From.Target, sides.To.Target = upgrade, upgrade.From, upgrade.To
	}
	return sides, err
}

// sets returns the sides of two arguments.
func sets(r Request) (Sides, error) {
	for _, name := range []string{"from", "to", "target-from"} {
		if r.Given(name) {
			return Sides{}, fmt.Errorf("--%s is for one PATH; remove it, or the second argument", name)
		}
	}
	if r.Args[0] == "-" && r.Args[1] == "-" {
		return Sides{}, errors.New(`both arguments are "-"; standard input can be only one of them`)
	}
	return Sides{From: r.From.side(Set, r.Args[0]), To: r.To.side(Set, r.Args[1])}, nil
}

// revisions returns the sides of one path. Without anything that the old side has of its own, it is the cluster, if
// that is known.
func revisions(r Request) (Sides, error) {
	path := "."
	if len(r.Args) > 0 {
		path = r.Args[0]
	}
	differ := !r.From.isEmpty() || !r.To.isEmpty()
	sides := Sides{From: r.From.side(Files, path), To: r.To.side(Files, path)}
	switch {
	case r.From.Revision != "":
	case differ:
		sides.From.Revision = revision.Worktree
	case !r.Live:
	case r.Given("to"):
		return Sides{}, errors.New("--live alone compares the files as they are with the cluster; --to needs --from REVISION")
	default:
		sides.From = Side{Origin: Cluster}
		return sides, nil
	}
	return sides, checkRevisions(path, sides.From.Revision, sides.To.Revision, differ)
}

// checkRevisions checks the revisions of a path. differ is whether both sides differ in anything else.
func checkRevisions(path, from, to string, differ bool) error {
	switch {
	case path == "-":
		return errors.New(`"-" has no revisions; name two sets of manifests, of which one can be "-"`)
	case from == "":
		return errors.New("nothing to compare with; expected --from REVISION, or two sets of manifests")
	case to == "":
		return fmt.Errorf("--to is empty; expected a revision, or %s", revision.Worktree)
	case from == to && !differ:
		return fmt.Errorf("--from and --to are both %q; expected two revisions, or a flag for one side, such as --to-overlay",
			to)
	}
	return nil
}

func (o *Own) side(from Origin, path string) Side {
	s := Side{Origin: from, Path: path, Overlays: o.Overlays, Sets: o.Sets}
	if from == Files {
		s.Revision = o.Revision
	}
	return s
}
