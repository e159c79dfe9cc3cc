package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/writeback"
)

// mergeFlags are the flags of import for a fleet that exists.
type mergeFlags struct {
	into             string
	write, templates bool
	overlays, sets   []string
}

func (f *mergeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.into, "merge", "", "`path` of the fleet, directory or file to add the VMs to")
	flags.BoolVar(&f.write, "write", false, "with --merge: change the files of the fleet")
	flags.BoolVar(&f.templates, "overwrite-templates", false, "with --merge: also replace values that are templates")
	flags.StringArrayVar(&f.overlays, "overlay", nil,
		"with --merge: `file` to merge over the fleet (repeatable); values that it sets are not changed")
	flags.StringArrayVar(&f.sets, "set", nil,
		"with --merge: var of the fleet, as `key=value` with dotted keys (repeatable)")
	completeFlag(cmd, "set", cobra.NoFileCompletions)
}

// check returns an error if the flags do not fit together.
func (f *mergeFlags) check(cmd *cobra.Command) error {
	if f.into == "" {
		for _, name := range []string{"write", "overwrite-templates", "overlay", "set"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for a fleet that exists; expected also --merge PATH", name)
			}
		}
		return nil
	}
	for _, name := range []string{"output-dir", "name", "by-label", "replicas", "no-protection"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a new fleet; expected it without --merge", name)
		}
	}
	return nil
}

// mergeInto adds VMs to an existing fleet: it prints what changes, or writes it.
func (f *importFlags) mergeInto(cmd *cobra.Command, objects []manifest.Object) error {
	namespace := ""
	if len(f.namespaces) == 1 {
		namespace = f.namespaces[0]
	}
	merged, err := writeback.Merge(objects, f.merge.into, writeback.Options{
		Fleet: fleet.Options{
			Namespace: namespace, Set: f.merge.sets, Overlays: f.merge.overlays, Workers: process.Workers(),
			Rest: process.Rest(),
		},
		Mapping: f.options.Mapping, Templates: f.merge.templates,
	})
	if err != nil {
		return err
	}
	if len(merged.Machines) == 0 {
		return errors.New("no VirtualMachine to import; expected what `kubectl get vm,dv,pvc,vmi -o yaml` prints")
	}
	vms := make([]*adopt.Machine, len(merged.Machines))
	for i, m := range merged.Machines {
		vms[i] = &m.Machine
	}
	adopt.NoteOrigins(vms, f.origins)
	if f.merge.write {
		err = f.saveMerged(cmd, merged)
	} else {
		err = merged.Diff(cmd.OutOrStdout())
	}
	if err != nil {
		return err
	}
	if err := merged.Report(visible{cmd.ErrOrStderr()}); err != nil {
		return err
	}
	isBehind := len(merged.Files) > 0 && !f.merge.write
	return f.judge(merged, f.failOnDiff && (isBehind || !merged.Exact()))
}

func (f *importFlags) saveMerged(cmd *cobra.Command, merged *writeback.Merged) error {
	if err := merged.Save(); err != nil {
		return err
	}
	for _, file := range merged.Names() {
		cmd.PrintErrf("wrote %s\n", file)
	}
	return nil
}
