package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/selfservice"
	"github.com/vmrender/vmrender/pkg/source"
)

func newCatalogCommand() *cobra.Command {
	kinds := catalogKinds()
	cmd := &cobra.Command{
		Use:   "catalog [" + strings.Join(kinds, "|") + "] [PATH]",
		Short: "List the names that VMs can use",
		Long: `List the catalog: operating systems, flavors and the other names that VMs can use.
Without an argument, list all kinds. With the PATH of a fleet, merge its entries
over the built-in ones.

With -o templates, print a VirtualMachineTemplate of KubeVirt for each operating system,
from which users create VMs in the console. These VMs are not in Git.`,
		Example: `  vmrender catalog os
  vmrender catalog networks site-a -o json
  vmrender catalog os site-a -o templates | kubectl apply -n golden -f -`,
		Args: cobra.MatchAll(argsBetween(0, 2), oneOf(kinds)),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return kinds, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	var overlays []string
	cmd.Flags().StringArrayVar(&overlays, "overlay", nil, "`file` to merge over the fleet (repeatable)")
	form := cli.Output(cmd, append(forms(), asTemplates))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if form.Value == asTemplates {
			return writeTemplates(cmd, args, overlays)
		}
		set, err := fleetCatalog(cmd, args, overlays)
		if err != nil {
			return err
		}
		return form.Value.print(cmd.OutOrStdout(), rowsOf(set, args), func(w io.Writer) error {
			return writeTables(w, set, chosen(args))
		})
	}
	return cmd
}

// asTemplates is the form of operating systems as VirtualMachineTemplates.
const asTemplates word = "templates"

// writeTemplates writes the operating systems of the catalog as VirtualMachineTemplates.
func writeTemplates(cmd *cobra.Command, args, overlays []string) error {
	path := ""
	switch {
	case len(args) > 0 && args[0] != "os":
		return fmt.Errorf("-o templates is for operating systems; use it with %q instead of %q", "os", args[0])
	case len(args) > 1:
		path = args[1]
	}
	objects, diags := selfservice.Templates(path, fleet.Options{Overlays: overlays, Stdin: cmd.InOrStdin()})
	if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	w := manifest.NewWriter(cmd.OutOrStdout(), manifest.YAML)
	for i := range objects {
		if err := w.Write(objects[i].JSON); err != nil {
			return err
		}
	}
	return w.Close()
}

// catalogKinds are the kinds of entries.
func catalogKinds() []string {
	kinds := make([]string, 0, len(listings()))
	for _, l := range listings() {
		kinds = append(kinds, l.kind)
	}
	return kinds
}

// oneOf checks that the first argument, if any, is one of the accepted kinds.
func oneOf(kinds []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 && !slices.Contains(kinds, args[0]) {
			return fmt.Errorf("unknown kind %q; %s", args[0], suggest.DidYouMean(args[0], kinds))
		}
		return nil
	}
}

// fleetCatalog returns the catalog of the fleet at the path in the second
// argument, whose VMs are not read: a user who looks up the name of an operating
// system often has an invalid one in a VM. Defaults to the built-in catalog.
func fleetCatalog(cmd *cobra.Command, args, overlays []string) (*catalog.Set, error) {
	diags := new(source.Diagnostics)
	if len(args) < 2 {
		return catalog.New(nil, diags), nil
	}
	f := fleet.Open(args[1], fleet.Options{Overlays: overlays, Stdin: cmd.InOrStdin()}, diags)
	return f.Catalog, problems.Report(cmd.ErrOrStderr(), diags)
}

// chosen returns the listings that the arguments select.
func chosen(args []string) []listing {
	if len(args) == 0 {
		return listings()
	}
	return slices.DeleteFunc(listings(), func(l listing) bool { return l.kind != args[0] })
}

// rowsOf returns the rows of the selected kind, or of all kinds as a map.
func rowsOf(set *catalog.Set, args []string) any {
	if len(args) > 0 {
		return chosen(args)[0].rows(set)
	}
	all := map[string]any{}
	for _, l := range listings() {
		all[l.kind] = l.rows(set)
	}
	return all
}

// writeTables writes one table per kind, with an empty line between them.
func writeTables(out io.Writer, set *catalog.Set, kinds []listing) error {
	for i, l := range kinds {
		if i > 0 {
			if _, err := io.WriteString(out, "\n"); err != nil {
				return err
			}
		}
		if err := cli.WriteTable(out, l.header, l.cells(set)); err != nil {
			return err
		}
	}
	return nil
}
