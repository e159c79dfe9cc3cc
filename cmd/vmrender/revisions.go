package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/revision"
)

// loadRevisions loads two revisions of a path.
func (f *sideFlags) loadRevisions(cmd *cobra.Command, path string) (from, to loaded, err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	repo, err := revision.Open(ctx, path, os.Environ())
	if err != nil {
		return from, to, err
	}
	old, changed, err := repo.Resolve(ctx, f.from.revision, f.to.revision)
	if err != nil {
		return from, to, err
	}
	lacks, err := f.absentOverlays(ctx, repo, old, changed, path)
	if err != nil {
		return from, to, err
	}
	if from, err = f.loadRevision(ctx, cmd, repo, old, path, lacks.from, &f.from); err != nil {
		return from, to, err
	}
	if to, err = f.loadRevision(ctx, cmd, repo, changed, path, lacks.to, &f.to); err != nil {
		return from, to, err
	}
	if from.missing && to.missing {
		return from, to, fmt.Errorf("%s: no fleet or platform here or above, neither in %s nor in %s", path, old, changed)
	}
	return from, to, nil
}

// loadRevision loads one side. lacks is the overlay without which it does not exist, or empty.
func (f *sideFlags) loadRevision(
	ctx context.Context, cmd *cobra.Command, repo *revision.Repository, c revision.Commit, path, lacks string,
	own *ownFlags,
) (loaded, error) {
	if lacks != "" {
		return f.withoutOverlay(c, lacks, own), nil
	}
	if c.IsWorktree() {
		return f.loadWorktree(ctx, cmd, repo, c, path, own)
	}
	o := f.options(cmd, own)
	copied, err := repo.Checkout(ctx, c, path, o.Overlays...)
	if err != nil {
		return loaded{}, err
	}
	defer copied.Close() //nolint:errcheck // what is left in the temporary directory is not a problem of the input
	defer context.AfterFunc(ctx, func() {
		_ = copied.Close()
		os.Exit(statusStopped)
	})()
	if copied.Missing {
		return f.withoutPath(c, path, own), nil
	}
	for i, overlay := range o.Overlays {
		o.Overlays[i] = copied.Path(overlay)
	}
	root := f.platform.Root
	if root != "" {
		root = copied.Path(root)
	}
	l, err := f.loadPath(cmd, c.String(), copied.Path(path), o, root)
	if err == nil {
		copied.Relabel(l.diags)
	}
	return l, err
}

// loadWorktree loads the files as they are.
func (f *sideFlags) loadWorktree(
	ctx context.Context, cmd *cobra.Command, repo *revision.Repository, c revision.Commit, path string, own *ownFlags,
) (loaded, error) {
	exists, err := repo.Exists(ctx, c, path)
	if err != nil {
		return loaded{}, err
	}
	if !exists {
		return f.withoutPath(c, path, own), nil
	}
	o := f.options(cmd, own)
	c.Changed, err = repo.Changed(ctx, c, path, o.Overlays...)
	if err != nil {
		return loaded{}, err
	}
	return f.loadPath(cmd, c.String(), path, o, f.platform.Root)
}
