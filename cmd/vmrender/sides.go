package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// sideFlags are the flags of a command that compares two sets of objects: those of two
// revisions of PATH, or of the two arguments OLD and NEW.
type sideFlags struct {
	fleet    fleetFlags
	platform platformFlags
	from, to ownFlags
	live     liveFlags
	// fromCluster is true if the old side is what the cluster has.
	fromCluster bool
	// upgraded is the upgrade that both sides differ by; nil if there is none.
	upgraded *plan.Upgrade
}

// ownFlags are the flags of one side. They add to those of both.
type ownFlags struct {
	revision       string
	overlays, sets []string
	targets        []string // versions of the platform, such as "kubevirt=1.8"
}

func (f *sideFlags) register(cmd *cobra.Command) {
	f.fleet.register(cmd)
	f.platform.register(cmd)
	cmd.Flags().StringVar(&f.from.revision, "from", "", "old `revision` of PATH: a branch, tag or commit; "+
		"or BRANCH... for the merge base with the new one; or worktree")
	cmd.Flags().StringVar(&f.to.revision, "to", revision.Worktree,
		"new `revision` of PATH; worktree is the files as they are")
	f.from.register(cmd, "from", "old")
	f.to.register(cmd, "to", "new")
	f.live.register(cmd)
}

func (o *ownFlags) register(cmd *cobra.Command, name, which string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.overlays, name+"-overlay", nil,
		"`file` to merge over the "+which+" side only, after each --overlay (repeatable)")
	flags.StringArrayVar(&o.sets, name+"-set", nil,
		"var of the "+which+" side only, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&o.targets, "target-"+name, nil,
		"`product=version` of the platform on the "+which+" side: argocd, cdi, kubevirt, openshift (repeatable)")
	completeFlag(cmd, name, cobra.NoFileCompletions)
	completeFlag(cmd, name+"-set", cobra.NoFileCompletions)
	completeFlag(cmd, "target-"+name, cobra.NoFileCompletions)
}

func (o *ownFlags) isEmpty() bool { return len(o.overlays)+len(o.sets)+len(o.targets) == 0 }

// check returns an error if the flags do not fit each other or the arguments.
func (f *sideFlags) check(cmd *cobra.Command, args []string) error {
	if err := cobra.MatchAll(argsBetween(0, 2), f.platform.check)(cmd, args); err != nil {
		return err
	}
	var err error
	if f.upgraded, err = f.upgrade(); err != nil {
		return err
	}
	if err := f.live.check(args); err != nil {
		return err
	}
	if len(args) == 2 {
		return f.checkSets(cmd, args)
	}
	differ := !f.from.isEmpty() || !f.to.isEmpty()
	f.fromCluster = f.live.given() && f.from.revision == "" && !differ
	if f.fromCluster && cmd.Flags().Changed("to") {
		return errors.New("--live alone compares the files as they are with the cluster; --to needs --from REVISION")
	}
	if f.fromCluster {
		return nil
	}
	if f.from.revision == "" && differ {
		f.from.revision = revision.Worktree
	}
	switch {
	case slices.Contains(args, "-"):
		return errors.New(`"-" has no revisions; name two sets of manifests, of which one can be "-"`)
	case f.from.revision == "":
		return errors.New("nothing to compare with; expected --from REVISION, or two sets of manifests")
	case f.to.revision == "":
		return fmt.Errorf("--to is empty; expected a revision, or %s", revision.Worktree)
	case f.from.revision == f.to.revision && !differ:
		return fmt.Errorf("--from and --to are both %q; expected two revisions, or a flag for one side, such as --to-overlay",
			f.to.revision)
	}
	return nil
}

// checkSets checks the flags for two arguments.
func (f *sideFlags) checkSets(cmd *cobra.Command, args []string) error {
	for _, name := range []string{"from", "to", "target-from"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for one PATH; remove it, or the second argument", name)
		}
	}
	if args[0] == "-" && args[1] == "-" {
		return errors.New(`both arguments are "-"; standard input can be only one of them`)
	}
	return nil
}

// loaded is one side: what a fleet or a platform renders to, or a set of manifests.
type loaded struct {
	label   string            // what it is, for users
	missing bool              // whether it does not exist in its revision, and so has no objects
	note    string            // what is missing, for stderr
	objects []manifest.Object // each once; see render.Objects about their JSON
	fleet   *machine.Fleet    // nil if it is not one
	groups  []layers.Group    // of a platform, with the same objects
	diags   *source.Diagnostics
}

// load reads and renders both sides. Their objects must only be used if neither has errors
// among its problems.
func (f *sideFlags) load(cmd *cobra.Command, args []string) (from, to loaded, err error) {
	if f.fromCluster {
		to, err = f.loadNew(cmd, pathArg(args))
		return loaded{diags: new(source.Diagnostics)}, to, err
	}
	load, old, changed := f.loadFiles, pathArg(args), pathArg(args)
	switch {
	case len(args) == 2:
		load, old, changed = f.loadSet, args[0], args[1]
	case f.from.revision != revision.Worktree || f.to.revision != revision.Worktree:
		return f.loadRevisions(cmd, old)
	}
	if from, err = load(cmd, &f.from, old); err == nil {
		to, err = load(cmd, &f.to, changed)
	}
	if err == nil && (from.fleet == nil) != (to.fleet == nil) {
		err = errors.Join(from.canonicalize(), to.canonicalize())
	}
	return from, to, err
}

// canonicalize rewrites the objects of a fleet as those of a set of manifests are: an object that differs from one of
// them in the order of keys only would be taken for changed.
func (l *loaded) canonicalize() error {
	if l.fleet == nil {
		return nil
	}
	for i, o := range l.objects {
		var err error
		if l.objects[i], err = o.Canonical(); err != nil {
			return fmt.Errorf("reading %s: %w", o.ID, err)
		}
	}
	return nil
}

// loadNew loads the new side alone: a fleet, a part of one, a platform, or manifests on
// standard input.
func (f *sideFlags) loadNew(cmd *cobra.Command, path string) (loaded, error) {
	if path == "-" {
		return loadManifests(cmd, path), nil
	}
	return f.loadPath(cmd, "the files as they are", path, f.options(cmd, &f.to), f.platform.Root)
}

// loadSet loads a fleet, a platform, or manifests in a directory, in a file, or on standard
// input.
func (f *sideFlags) loadSet(cmd *cobra.Command, own *ownFlags, path string) (loaded, error) {
	if _, isPlatform := f.platform.File(path); !isPlatform && !fleet.IsRoot(path) {
		return loadManifests(cmd, path), nil
	}
	return f.loadFiles(cmd, own, path)
}

// loadFiles loads a fleet, a part of one, or a platform, from the files as they are.
func (f *sideFlags) loadFiles(cmd *cobra.Command, own *ownFlags, path string) (loaded, error) {
	return f.loadPath(cmd, path, path, f.options(cmd, own), f.platform.Root)
}

// loadPath loads a fleet, a part of one, or a platform, below a root if that is set.
func (f *sideFlags) loadPath(cmd *cobra.Command, label, path string, o fleet.Options, root string) (loaded, error) {
	file, isPlatform := f.platform.File(path)
	if !isPlatform {
		return loadFleet(label, path, o), rejectPlatformFlags(cmd)
	}
	for _, name := range []string{"namespace", "default", "target-from"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			return loaded{}, fmt.Errorf("--%s is not for a platform; remove it", name)
		}
	}
	options := f.platform.Options
	options.Root, options.Overlays, options.Set = root, o.Overlays, o.Set
	return loadPlatform(label, file, options), nil
}

func (f *sideFlags) options(cmd *cobra.Command, own *ownFlags) fleet.Options {
	o := f.fleet.options(cmd, nil)
	o.Overlays = slices.Concat(o.Overlays, own.overlays)
	o.Set = slices.Concat(o.Set, own.sets)
	if f.upgraded != nil {
		o.Target = f.upgraded.To
		if own == &f.from {
			o.Target = f.upgraded.From
		}
	}
	return o
}

func loadFleet(label, path string, o fleet.Options) loaded {
	f, rendered, diags := renderFleet(path, o)
	l := loaded{label: label, fleet: f, diags: diags}
	if diags.HasErrors() {
		return l
	}
	l.objects = render.Objects(rendered...)
	return l
}

func loadPlatform(label, file string, o layers.Options) loaded {
	groups, diags := layers.RenderGroups(file, o)
	l := loaded{label: label, groups: groups, diags: diags}
	for _, g := range groups {
		l.objects = append(l.objects, g.Objects...)
	}
	return l
}

func loadManifests(cmd *cobra.Command, path string) loaded {
	l := loaded{label: path, diags: new(source.Diagnostics)}
	var err error
	if path == "-" {
		l.label = "standard input"
		l.objects, err = manifest.ReadNamed("<stdin>", cmd.InOrStdin())
	} else {
		l.objects, err = manifest.ReadFiles(path)
	}
	reportUnread(err, l.diags)
	return l
}

// reportUnread reports the problems of reading manifests.
func reportUnread(err error, diags *source.Diagnostics) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			reportUnread(err, diags)
		}
	} else if at, ok := errors.AsType[*manifest.ReadError](err); ok {
		diags.Errorf(source.Pos{File: at.File, Line: at.Line}, rule.Unreadable, "", "%s", at.Message())
	} else if err != nil {
		diags.Errorf(source.Pos{}, rule.Unreadable, "", "%v", err)
	}
}
