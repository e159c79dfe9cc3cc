package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/sizing"
)

// checkSize checks the number of clusters, if it is set.
func checkSize(cmd *cobra.Command, clusters int) error {
	if cmd.Flags().Changed("size") && clusters < 1 {
		return fmt.Errorf("--size %d; expected a number of clusters from 1", clusters)
	}
	return nil
}

// printSize prints values for Argo CD's chart, with servers for the fleet.
func printSize(cmd *cobra.Command, plan *delivery.Plan, contents []delivery.Contents) error {
	size, err := plan.Size(contents)
	if err != nil {
		return err
	}
	model, err := sizing.New()
	if err != nil {
		return err
	}
	values, err := model.Values(size, plan.Fleet().Header.Target.Image)
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(values)
	return err
}
