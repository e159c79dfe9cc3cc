package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/revision"
)

// sideFlags are the flags of a command that compares two sets of objects: those of two
// revisions of PATH, or of the two arguments OLD and NEW.
type sideFlags struct {
	fleet    fleetFlags
	platform platformFlags
	from, to compare.Own
	live     liveFlags

	sides compare.Sides // what the flags and arguments choose
}

func (f *sideFlags) register(cmd *cobra.Command) {
	f.fleet.register(cmd)
	f.platform.register(cmd)
	cmd.Flags().StringVar(&f.from.Revision, "from", "", "old `revision` of PATH: a branch, tag or commit; "+
		"or BRANCH... for the merge base with the new one; or worktree")
	cmd.Flags().StringVar(&f.to.Revision, "to", revision.Worktree,
		"new `revision` of PATH; worktree is the files as they are")
	registerOwn(cmd, &f.from, "from", "old")
	registerOwn(cmd, &f.to, "to", "new")
	f.live.register(cmd)
}

func registerOwn(cmd *cobra.Command, o *compare.Own, name, which string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Overlays, name+"-overlay", nil,
		"`file` to merge over the "+which+" side only, after each --overlay (repeatable)")
	flags.StringArrayVar(&o.Sets, name+"-set", nil,
		"var of the "+which+" side only, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&o.Targets, "target-"+name, nil,
		"`product=version` of the platform on the "+which+" side: argocd, cdi, kubevirt, openshift (repeatable)")
	completeFlag(cmd, name, cobra.NoFileCompletions)
	completeFlag(cmd, name+"-set", cobra.NoFileCompletions)
	completeFlag(cmd, "target-"+name, cobra.NoFileCompletions)
}

// check chooses the sides. It returns an error if the flags do not fit each other or the arguments.
func (f *sideFlags) check(cmd *cobra.Command, args []string) error {
	err := cobra.MatchAll(argsBetween(0, 2), f.platform.check, f.live.check)(cmd, args)
	if err != nil {
		return err
	}
	f.sides, err = compare.Choose(compare.Request{
		Args: args, From: f.from, To: f.to, Live: f.live.Given(), Given: cmd.Flags().Changed,
	})
	return err
}

// load reads and renders both sides.
func (f *sideFlags) load(cmd *cobra.Command) (from, to compare.Loaded, err error) {
	ctx := cmd.Context()
	if f.sides.ReadsGit() {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
	}
	return f.loader(cmd).Load(ctx, f.sides)
}

func (f *sideFlags) loader(cmd *cobra.Command) *compare.Loader {
	return &compare.Loader{
		Fleet: f.fleet.options(cmd, nil), Platform: f.platform.Options,
		Fits:    func(isPlatform bool) error { return checkKind(cmd, isPlatform) },
		Environ: os.Environ(),
		Stop:    func() { os.Exit(statusStopped) },
	}
}

// checkKind rejects the flags that a fleet, or a platform, does not accept.
func checkKind(cmd *cobra.Command, isPlatform bool) error {
	if !isPlatform {
		return rejectPlatformFlags(cmd)
	}
	for _, name := range []string{"namespace", "default", "target-from"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is not for a platform; remove it", name)
		}
	}
	return nil
}
