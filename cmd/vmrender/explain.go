package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

func newExplainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain VM [KEY]",
		Short: "Show where each value of a VM comes from",
		Long: `Print the effective values of a VM, each with the file, line and column that sets
it and the level of inheritance. With a KEY such as disks.root, print only the
values under it. Values that could be secrets are shown as ***: passwords, user and
network data, commands, overrides, patches, the credentials in URLs, and vars that are
not a part of a value that is shown.

With the KEY lifecycle, also describe what happens to the VM when it changes, is
removed from Git, or its Argo CD Application is deleted.`,
		Example: `  vmrender explain web01
  vmrender explain prod/db01 memory -o json
  vmrender explain web01 lifecycle`,
		Args: argsBetween(1, 2),
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	var path string
	cmd.Flags().StringVar(&path, "path", ".", "`path` of the fleet, or of a directory or file in it")
	form := cli.Output(cmd, forms())
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		opts := flags.options(cmd, nil)
		switch len(args) {
		case 0:
			return vmNames(path, opts), cobra.ShellCompDirectiveNoFileComp
		case 1:
			return explainedKeys(path, opts, args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		noteHeld(cmd, path, flags.options(cmd, args[:1]))
		key := ""
		if len(args) == 2 {
			key = args[1]
		}
		if key == lifecycleKey {
			return explainLifecycle(cmd, path, flags.options(cmd, args[:1]), form.Value)
		}
		rows, diags := explain.VM(path, flags.options(cmd, nil), args[0], key)
		reported := problems.Report(cmd.ErrOrStderr(), diags)
		if reported != nil && len(rows) == 0 {
			return reported
		}
		err := form.Value.print(cmd.OutOrStdout(), explainedRows(rows), func(w io.Writer) error {
			return writeExplained(w, rows)
		})
		return cmp.Or(err, reported)
	}
	return cmd
}

// explainedKeys returns the keys of a VM for completion.
func explainedKeys(path string, opts fleet.Options, vm string) []string {
	rows, _ := explain.VM(path, opts, vm, "")
	keys := make([]string, 0, len(rows))
	for _, r := range rows {
		keys = append(keys, r.Key)
	}
	return keys
}

// explained is one row of the JSON output.
type explained struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Level  string `json:"level"`
}

func writeExplained(w io.Writer, rows []fleet.Explained) error {
	table := make([][]string, 0, len(rows))
	for _, r := range rows {
		table = append(table, []string{r.Key, r.Value, r.Pos.String(), r.Level})
	}
	return cli.WriteTable(w, []string{"KEY", "VALUE", "ORIGIN", "LEVEL"}, table)
}

func explainedRows(rows []fleet.Explained) []explained {
	out := make([]explained, 0, len(rows))
	for _, r := range rows {
		out = append(out, explained{r.Key, r.Value, r.Pos.File, r.Pos.Line, r.Pos.Col, r.Level})
	}
	return out
}
