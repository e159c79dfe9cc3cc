package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/starter"
	"github.com/vmrender/vmrender/schema"
)

// schemaKinds are the kinds of files and outputs that have a schema, the default first.
func schemaKinds() []string {
	return []string{"fleet", "overlay", "defaults", "vms", "platform", "kubernetes", "plan", "status", "drain", "drill"}
}

const schemaHelp = `Print the JSON Schema of a kind of file or output:

  fleet       fleet.yaml (default)
  overlay     an overlay
  defaults    _defaults.yaml
  vms         all other files of a fleet
  platform    platform.yaml
  kubernetes  the parts of files that have the form of Kubernetes and KubeVirt
  plan        the output of "vmrender plan -o json"
  status      the output of "vmrender status -o json"
  drain       the output of "vmrender status --drain NODE -o json"
  drill       the output of "vmrender drill -o json"

With --key, print only what a dotted key accepts. In files with VMs, a key of a VM is enough:
disks.root.size.

The schemas of files refer to the schema kubernetes as kubernetes.schema.json in the
same directory.

With --write, write the schemas of files to ` + starter.SchemaDir + ` in the directory of a fleet
or platform, where editors find them. Schemas of another release are overwritten. They
contain the names of this fleet: of its catalog, of the platform next to it, and of
each overlay. Repeat the command when the catalog has changed.`

func newSchemaCommand() *cobra.Command {
	kinds := schemaKinds()
	var dir, key string
	var overlays []string
	cmd := &cobra.Command{
		Use:   "schema [" + strings.Join(kinds, "|") + "]",
		Short: "Print the JSON Schema of a kind of file",
		Long:  schemaHelp,
		Example: `  vmrender schema vms > vms.schema.json
  vmrender schema vms --key disks.root.size
  vmrender schema --write site-a --overlay site-a/env/dev.yaml`,
		Args:      cobra.MatchAll(argsBetween(0, 1), oneOf(kinds)),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" && len(overlays) > 0 {
				return errors.New("--overlay is for --write, which makes the schemas of one fleet")
			}
			if dir != "" && key != "" {
				return errors.New("--key prints one key; remove --write, or --key")
			}
			if dir != "" {
				return writeSchemas(cmd, args, dir, overlays)
			}
			return printSchema(cmd.OutOrStdout(), append(args, kinds[0])[0], key)
		},
	}
	cmd.Flags().StringVar(&dir, "write", "", "`directory` of the fleet or platform for the schemas of its files")
	cmd.Flags().StringVar(&key, "key", "", "dotted `key` to print alone, with the definitions that it needs")
	completeFlag(cmd, "key", cobra.NoFileCompletions)
	cmd.Flags().StringArrayVar(&overlays, "overlay", nil,
		"`file` of an environment whose names are also valid in the fleet (repeatable; with --write)")
	completeFlag(cmd, "write", completeDirs)
	return cmd
}

// printSchema prints the schema of a kind, or of a key in it if that is not empty.
func printSchema(w io.Writer, kind, key string) error {
	files := schema.FS
	if slices.Contains([]string{"plan", "status", "drain", "drill"}, kind) {
		files = schema.Output
	}
	text, err := files.ReadFile(kind + ".schema.json")
	if err == nil && key != "" {
		text, err = schema.Key(text, key)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// writeSchemas updates the schemas of a fleet or a platform.
func writeSchemas(cmd *cobra.Command, args []string, dir string, overlays []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; --write writes the schemas of all kinds", args[0])
	}
	var catalogs []*catalog.Set
	if fleet.IsRoot(dir) {
		catalogs = catalogsOf(cmd, dir, overlays)
	}
	n, err := starter.WriteSchemas(dir, catalogs...)
	if err != nil {
		return err
	}
	cmd.PrintErrf("%s: %s written\n", filepath.Join(dir, starter.SchemaDir), problems.Count(n, "file"))
	return nil
}

// catalogsOf returns the catalog of a fleet, and that of each of its environments.
func catalogsOf(cmd *cobra.Command, dir string, overlays []string) []*catalog.Set {
	var catalogs []*catalog.Set
	diags := new(source.Diagnostics)
	for i := range len(overlays) + 1 {
		f := fleet.Open(dir, fleet.Options{Overlays: overlays[max(0, i-1):i]}, diags)
		if f.Catalog != nil {
			catalogs = append(catalogs, f.Catalog)
		}
	}
	if diags.HasErrors() {
		cmd.PrintErrf("note: fleet.yaml or an overlay has errors, so some names may be missing; see vmrender validate\n")
	}
	return catalogs
}
