package revision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
)

// Worktree is the name of the files as they are, in place of a revision.
const Worktree = "worktree"

// mergeBase is the suffix of a revision that stands for its merge base with the other one.
const mergeBase = "..."

// Commit is a resolved revision.
type Commit struct {
	// Name is what precedes the path of a file, as in "main:vms.yaml": the revision as it was given, the abbreviated
	// hash of a merge base, or "worktree".
	Name string
	// Hash of the commit, in full. For "worktree", that of HEAD, or empty if there is no commit yet.
	Hash string
	// Base is the revision of which this is the merge base, or empty.
	Base string
	// Changed is true for "worktree" if there are uncommitted changes; see [Repository.Changed].
	Changed bool
}

// IsWorktree reports whether this is not a commit, but the files as they are.
func (c Commit) IsWorktree() bool { return c.Name == Worktree }

// Short returns the first 12 digits of the hash.
func (c Commit) Short() string { return c.Hash[:min(12, len(c.Hash))] }

// String returns the commit for users, such as "main (0123456789ab)".
func (c Commit) String() string {
	switch {
	case c.Changed && c.Hash != "":
		return fmt.Sprintf("%s (%s and uncommitted changes)", c.Name, c.Short())
	case c.Base != "":
		return fmt.Sprintf("merge base with %s (%s)", c.Base, c.Short())
	case c.Hash == "" || strings.HasPrefix(c.Hash, c.Name):
		return c.Name
	}
	return fmt.Sprintf("%s (%s)", c.Name, c.Short())
}

// Resolve finds the commits of two revisions. The first one can be a merge base with the second, or with HEAD if the
// second one is "worktree".
func (r *Repository) Resolve(ctx context.Context, from, to string) (old, changed Commit, err error) {
	base, isBase := strings.CutSuffix(from, mergeBase)
	old, errOld := r.resolve(ctx, base)
	changed, errNew := r.resolve(ctx, to)
	if err := errors.Join(errOld, errNew); err != nil || !isBase {
		return old, changed, err
	}
	old, err = r.mergeBase(ctx, old, changed)
	return old, changed, err
}

// commitHash is what Git prints for a commit. For "^main", it prints "^" and the hash.
var commitHash = lazyregexp.New(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

func (r *Repository) resolve(ctx context.Context, rev string) (Commit, error) {
	given := rev
	if rev == Worktree {
		rev = "HEAD"
	}
	found, err := r.git.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	failed, ok := errors.AsType[*gitError](err)
	switch {
	case err == nil && commitHash().MatchString(found):
		return Commit{Name: given, Hash: found}, nil
	case err == nil || ok && (failed.message == "" || given == Worktree):
		if given == Worktree {
			return Commit{Name: Worktree}, nil
		}
		return Commit{}, r.unknown(ctx, rev)
	}
	return Commit{}, fmt.Errorf("revision %q: %w", rev, err)
}

// unknown returns the error for a revision that does not exist, or only not here.
func (r *Repository) unknown(ctx context.Context, rev string) error {
	if _, err := r.git.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return fmt.Errorf("unknown revision %q; %s has no commit yet", rev, r.root)
	}
	if r.isShallow(ctx) {
		return fmt.Errorf("unknown revision %q; %s is a shallow clone, so fetch it first: git fetch --unshallow", rev, r.root)
	}
	names, err := r.git.line(ctx, "for-each-ref", "--format=%(refname:lstrip=2)")
	if err != nil {
		return err
	}
	if near, ok := suggest.Nearest(rev, strings.Split(names, "\n")); ok && rev != "" {
		return fmt.Errorf("unknown revision %q; did you mean %q?", rev, near)
	}
	return fmt.Errorf("unknown revision %q; "+
		"expected a branch, tag or commit of %s, or %q; git fetch gets those of a remote", rev, r.root, Worktree)
}

func (r *Repository) isShallow(ctx context.Context) bool {
	shallow, err := r.git.line(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && shallow == "true"
}

// mergeBase returns the best common ancestor of two commits.
func (r *Repository) mergeBase(ctx context.Context, a, b Commit) (Commit, error) {
	if b.Hash == "" {
		return Commit{}, fmt.Errorf("%q has no merge base with HEAD; %s has no commit yet", a.Name, r.root)
	}
	found, err := r.git.line(ctx, "merge-base", a.Hash, b.Hash)
	failed, ok := errors.AsType[*gitError](err)
	switch {
	case err == nil:
		c := Commit{Hash: found, Base: a.Name}
		c.Name = c.Short()
		return c, nil
	case ok && failed.message == "" && r.isShallow(ctx):
		return Commit{}, fmt.Errorf("%s and %s have no common commit in %s, which is a shallow clone; "+
			"fetch more of the history: git fetch --unshallow", a, b, r.root)
	case ok && failed.message == "":
		return Commit{}, fmt.Errorf("%s and %s have no common commit; compare them without %q", a, b, mergeBase)
	}
	return Commit{}, err
}
