package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/source"
)

func newHoldCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "hold [PATH] --from REVISION",
		SuggestFor:  []string{"defer", "freeze"},
		Short:       "Write the files that hold VMs until their change is approved",
		Long: `Compare the fleet at PATH with a revision, as "vmrender plan" does, and hold each VM
whose change reaches policy.hold and is not approved: write a file to the directory .held
of the fleet, with the VM as the revision has it. While the file exists and nothing
approves the change, the fleet renders the VM as it was, and the rest of the commit as it
is. PATH defaults to the working directory.

A VM that the revision holds already keeps what it was held with. Files are removed if the
change is approved, is taken back, or no longer reaches the level, and if the VM is
removed. Commit the files with the change (docs/how-to/hold.md).

The list of what is held is written to stdout. The exit status is 1 if a change can
neither be held nor is approved, and 3 if a state is invalid or cannot be read.`,
		Example: `  vmrender hold --from origin/main...
  vmrender hold sites/a --from main --overlay prod.yaml`,
	}
	sides := new(sideFlags)
	sides.fleet.register(cmd)
	cmd.Flags().StringVar(&sides.from.Revision, "from", "", "`revision` with what was approved last: a branch, tag or "+
		"commit; or BRANCH... for the merge base with the work tree")
	completeFlag(cmd, "from", cobra.NoFileCompletions)
	sides.live.register(cmd)
	sides.to.Revision = revision.Worktree
	set := new(compare.Settings)
	registerSettings(cmd, set)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), sides.check, func(*cobra.Command, []string) error {
		if sides.from.Revision == "" {
			return errors.New("nothing to compare with; expected --from REVISION")
		}
		return set.Check()
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runHold(cmd, sides, set) }
	return cmd
}

// runHold compares both sides, and writes the files.
func runHold(cmd *cobra.Command, sides *sideFlags, set *compare.Settings) error {
	sides.sides.To.Unheld = true
	c, err := sides.compare(cmd, set)
	if err != nil {
		return err
	}
	to := c.to
	if to.Fleet == nil {
		return errors.New("a platform holds no VMs; name a fleet")
	}
	if len(sides.fleet.overlays) > 0 && to.Fleet.Environment == "" {
		return errors.New("the overlay has no `environment`, by which the files of different overlays differ; set it")
	}
	p := c.predict()
	in := c.input(p.Plan, p.Plan)
	vms := hold.Judge(&in)
	changes, err := hold.Write(to.Fleet.HeldDir(), &in, vms, to.Fleet.Part() == ".")
	if err != nil {
		return err
	}
	return printHeld(cmd, to.Fleet.HeldDir(), vms, changes)
}

// printHeld prints what is held, what no longer is, and what cannot be.
func printHeld(cmd *cobra.Command, dir string, vms []hold.VM, changes hold.Changes) error {
	var text strings.Builder
	failed := false
	for i := range vms {
		v := &vms[i]
		name := v.ID.Namespace + "/" + v.ID.Name
		switch v.State {
		case hold.Impossible:
			cmd.PrintErrf("%s: %s; approve the change, or take it back\n", name, v.Problem)
			failed = true
		case hold.Held, hold.Open:
			fmt.Fprintf(&text, "held  %s  %s: %s\n", name, v.Level, strings.Join(v.Causes(), "; "))
			fmt.Fprintf(&text, "  to release it: %s\n", v.Line())
		}
	}
	for _, r := range changes.Removed {
		fmt.Fprintf(&text, "released  %s: %s\n", strings.TrimSuffix(r.Name, ".yaml"), r.Why)
	}
	fmt.Fprintf(&text, "%s: %s written, %d unchanged, %d removed\n",
		dir, problems.Count(changes.Written, "file"), changes.Unchanged, len(changes.Removed))
	if _, err := io.WriteString(cmd.OutOrStdout(), text.String()); err != nil {
		return err
	}
	if failed {
		return errFinding
	}
	return nil
}

// holdFrom returns the level from which the fleet holds changes.
func (c *comparison) holdFrom() impact.Level { return hold.Stricter(holdOf(c.from), holdOf(c.to)) }

// holdOf returns the level of a fleet, or "".
func holdOf(l compare.Loaded) string {
	if l.Fleet == nil {
		return ""
	}
	return l.Fleet.Header.Policy.Hold
}

// holds returns the VMs that are held, or should be. It loads the new side once more if VMs are held, as it would be
// without.
func (c *comparison) holds(cmd *cobra.Command, planned *plan.Plan) ([]hold.VM, error) {
	annotations := hold.Annotations(c.to.Objects)
	if c.to.Fleet == nil || c.holdFrom() == impact.None {
		return hold.Known(planned, annotations), nil
	}
	released := *c
	if len(annotations) > 0 {
		sides := *c.sideFlags
		sides.sides.To.Unheld = true
		_, to, err := sides.load(cmd)
		if err != nil {
			return nil, err
		}
		if to.Diags.HasErrors() {
			return nil, problems.Report(cmd.ErrOrStderr(), to.Diags)
		}
		released.to = to
	}
	in := released.input(planned, planned)
	if len(annotations) > 0 {
		in.Released = released.predict().Plan
	}
	in.Annotations, in.Files = annotations, c.to.Fleet.HeldFiles()
	return hold.Judge(&in), nil
}

// input returns what decides about what is held.
func (c *comparison) input(planned, released *plan.Plan) hold.Input {
	return hold.Input{
		Planned: planned, Released: released, Old: c.from.ByVM(), New: c.to.ByVM(),
		Private: valuesOf(slices.Concat(c.fleet.sets, c.sides.From.Sets, c.sides.To.Sets)),
	}
}

// valuesOf returns the values of variables.
func valuesOf(sets []string) []string {
	out := make([]string, 0, len(sets))
	for _, set := range sets {
		_, value, _ := strings.Cut(set, "=")
		out = append(out, value)
	}
	return out
}

// noteHolds notes how many of the rendered VMs are held.
func noteHolds(cmd *cobra.Command, rendered []render.Rendered) {
	noteHeldVMs(cmd, render.CountHeld(rendered))
}

// noteHeldVMs notes a number of VMs that are held, unless it is 0.
func noteHeldVMs(cmd *cobra.Command, n int) {
	if n > 0 {
		cmd.PrintErrf("note: %s held; see docs/how-to/hold.md\n", problems.Count(n, "VM"))
	}
}

// noteHeld notes that the VM that the options select is held: what it becomes is not what is rendered.
func noteHeld(cmd *cobra.Command, path string, opts fleet.Options) {
	opts.Alone = true
	f := fleet.Open(path, opts, new(source.Diagnostics))
	for _, file := range f.HeldFiles() {
		if !slices.Contains(opts.VMs, file.Name) && !slices.Contains(opts.VMs, file.Namespace+"/"+file.Name) {
			continue
		}
		if _, rendered, _ := renderFleet(path, opts); render.CountHeld(rendered) > 0 {
			cmd.PrintErrf("note: %s/%s is held, and rendered as %s has it: %s: %s; to release it: %s\n",
				file.Namespace, file.Name, file.Path, file.Level, strings.Join(file.Why, "; "), held.Line(file.Approvals))
		}
	}
}
