package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rollout"
)

// The exit statuses.
const (
	statusOK      = 0
	statusInvalid = 1
	statusUsage   = 2
	// statusFailed is that of a command that has found nothing out, where statusInvalid is what it has found out.
	statusFailed = 3
	// statusStopped is the exit status after SIGTERM (128+15, as in shells). The
	// Job retries on it, but not on status 1.
	statusStopped = 143
	// statusUnavailable is the exit status if the API server has not answered, or has
	// refused, for too long (EX_TEMPFAIL of sysexits.h). The Job retries on it, too.
	statusUnavailable = 75
)

func newRootCommand() *cobra.Command { return newRoot(commandGroups()) }

// newRoot returns the program with some of its commands, in groups of which the last is [otherCommands].
func newRoot(groups []commandGroup) *cobra.Command {
	root := &cobra.Command{
		Use:   "vmrender",
		Short: "Render compact VM values into KubeVirt manifests",
		Long: `Render compact YAML values of VMs into KubeVirt VirtualMachine and CDI DataVolume
manifests.

Manifests and requested reports are written to stdout. Errors and warnings are
written to stderr. The exit status is 0 for success, 1 for invalid input and 2
for an invalid command line. Of hold, plan, status, drill and images, 1 is a finding, and
3 is a failure, such as invalid input.`,
		Version:       readBuild().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          checkCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{ .Version }}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCommand(root))
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	root.SetHelpCommandGroupID(otherCommands)
	root.SetCompletionCommandGroupID(otherCommands)
	return root
}

// commandGroup is a task, and the commands for it.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// otherCommands is the title of the commands that render and look at nothing.
const otherCommands = "About vmrender"

// commandGroups returns all commands by what they are for, but those that cobra adds.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Render and check", []*cobra.Command{newExplainCommand(), newTemplateCommand(), newValidateCommand()}},
		{"Before and after a sync", []*cobra.Command{
			newDrillCommand(), newHoldCommand(), newPlanCommand(), newReportCommand(), newStatusCommand(),
		}},
		{"Write a fleet", []*cobra.Command{
			newCatalogCommand(), newImagesCommand(), newImportCommand(), newInitCommand(), newMCPCommand(),
			newReleaseCommand(), newSchemaCommand(),
		}},
		{"Argo CD", []*cobra.Command{newAppCommand()}},
		{"kustomize and kpt", []*cobra.Command{newKRMCommand()}},
		{"In Jobs that vmrender renders", []*cobra.Command{
			newApproveCommand(), newNodePoolsCommand(), newPatchCommand(), newPowerCommand(), newReviewCommand(),
			newRolloutCommand(), newSnapshotCommand(), newRestoreCommand(),
		}},
		{otherCommands, []*cobra.Command{newVersionCommand()}},
	}
}

// execute runs a command line and returns the exit status. An error before a
// command has started is a usage error.
func execute(root *cobra.Command, args []string) int {
	started := false
	var unavailable *rollout.UnavailableError
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, errFinding):
		return statusInvalid
	case errors.Is(err, problems.ErrReported):
		return failure(cmd)
	case errors.Is(err, context.Canceled): // by a signal
		return statusStopped
	case errors.Is(err, rollout.ErrInterrupted):
		cmd.PrintErrf("%s: %v\n", cmd.CommandPath(), err)
		return statusStopped
	case errors.As(err, &unavailable):
		cmd.PrintErrf("%s: %v\n", cmd.CommandPath(), err)
		return statusUnavailable
	case started:
		cmd.PrintErrf("%s: %v\n", cmd.CommandPath(), err)
		return failure(cmd)
	}
	cmd.PrintErrf("%s: %v\nrun \"%s --help\" for usage\n", cmd.CommandPath(), err, cmd.CommandPath())
	return statusUsage
}

// errFinding is the error of a command that has found what its flags say is to fail, and has said so.
var errFinding = errors.New("a finding")

// reportsFindings is the annotation of commands whose exit status tells a finding from a failure.
const reportsFindings = "reports-findings"

// findings are the annotations of a command with [reportsFindings].
var findings = map[string]string{reportsFindings: "true"}

// failure returns the exit status of a command that has failed.
func failure(cmd *cobra.Command) int {
	if cmd.Annotations[reportsFindings] != "" {
		return statusFailed
	}
	return statusInvalid
}

// checkCommand rejects the calls that reach the root with an unknown command. Without one, they print help.
func checkCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	for _, c := range root.Commands() {
		if slices.Contains(c.SuggestFor, args[0]) {
			return fmt.Errorf("unknown command %q; did you mean %q?", args[0], c.Name())
		}
	}
	return fmt.Errorf("unknown command %q; %s", args[0], suggest.DidYouMean(args[0], commandNames(root)))
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// newHelpCommand replaces cobra's help command, which does not fail for an
// unknown command.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(_ *cobra.Command, args []string) error {
			if found, _, _ := root.Find(args); len(args) > 0 && found == root {
				return checkCommand(root, args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found, _, err := root.Find(args)
			if err != nil {
				return err
			}
			return found.Help()
		},
	}
}
