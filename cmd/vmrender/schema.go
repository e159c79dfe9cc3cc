package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/starter"
	"github.com/vmrender/vmrender/schema"
)

func newSchemaCommand() *cobra.Command {
	kinds := []string{"fleet", "overlay", "defaults", "vms", "platform", "plan", "status"}
	var dir string
	cmd := &cobra.Command{
		Use:   "schema [" + strings.Join(kinds, "|") + "]",
		Short: "Print the JSON Schema of a kind of file",
		Long: `Print the JSON Schema of fleet.yaml (fleet, the default), of an overlay (overlay),
of _defaults.yaml (defaults), of all other files of a fleet (vms), of platform.yaml
(platform), or of what "vmrender plan -o json" (plan) or "vmrender status -o json"
(status) prints.

With --write, write those of files to ` + starter.SchemaDir + ` in the directory of a fleet or a
platform, over those of another release. Editors find them there.`,
		Example: `  vmrender schema vms > vms.schema.json
  vmrender schema --write site-a`,
		Args:      cobra.MatchAll(argsBetween(0, 1), oneOf(kinds)),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir != "" {
				return writeSchemas(cmd, args, dir)
			}
			kind := kinds[0]
			if len(args) == 1 {
				kind = args[0]
			}
			files := schema.FS
			if kind == "plan" || kind == "status" {
				files = schema.Output
			}
			text, err := files.ReadFile(kind + ".schema.json")
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "write", "", "`directory` of the fleet or platform to write the schemas of its files to")
	completeFlag(cmd, "write", completeDirs)
	return cmd
}

// writeSchemas updates the schemas of a fleet or a platform.
func writeSchemas(cmd *cobra.Command, args []string, dir string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; --write writes the schemas of all kinds", args[0])
	}
	n, err := starter.WriteSchemas(dir)
	if err != nil {
		return err
	}
	cmd.PrintErrf("%s: %s written\n", filepath.Join(dir, starter.SchemaDir), report.Count(n, "file"))
	return nil
}
