package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/schema"
)

func newSchemaCommand() *cobra.Command {
	kinds := []string{"fleet", "defaults", "vms", "platform"}
	return &cobra.Command{
		Use:   "schema [" + strings.Join(kinds, "|") + "]",
		Short: "Print the JSON Schema of a kind of file",
		Long: `Print the JSON Schema of fleet.yaml (fleet, the default), of _defaults.yaml
(defaults), of all other files of a fleet (vms), or of platform.yaml (platform).`,
		Example:   `  vmrender schema vms > vms.schema.json`,
		Args:      cobra.MatchAll(argsBetween(0, 1), oneOf(kinds)),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := kinds[0]
			if len(args) == 1 {
				kind = args[0]
			}
			text, err := schema.FS.ReadFile(kind + ".schema.json")
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
