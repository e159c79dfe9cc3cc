package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// platformFlags are the flags of a platform; a fleet accepts none of them.
type platformFlags struct {
	layers.Options
	as cli.Choice[word]
}

func (f *platformFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Layer, "layer", "",
		"`name` of the layer of a platform.yaml to render, or * for the app-of-apps (default *)")
	f.as.Accepted = []word{"policy"}
	flags.Var(&f.as, "as",
		"wrapper of the layers of a platform.yaml: `policy` for policies of Red Hat Advanced Cluster Management")
	f.registerFiles(cmd)
	completeFlag(cmd, "as", cobra.FixedCompletions(f.as.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// platformOnly are the flags that a fleet does not accept.
var platformOnly = []string{"layer", "as", "kube-version", "api-versions", "root"}

// registerFiles adds the flags that describe the repository and the cluster.
func (f *platformFlags) registerFiles(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.KubeVersion, "kube-version", "",
		"Kubernetes `version` of the cluster, for the charts of a platform.yaml")
	flags.StringSliceVar(&f.APIVersions, "api-versions", nil,
		"comma-separated `list` of each group/version or group/version/Kind of the cluster, for a platform.yaml")
	flags.StringVar(&f.Root, "root", "",
		"topmost `directory` that a platform.yaml can read files from (default the root of its repository)")
	completeFlag(cmd, "root", completeDirs)
}

// check returns an error if the flags are invalid for every platform.
func (f *platformFlags) check(*cobra.Command, []string) error {
	f.Policies = f.as.Value != ""
	return f.Check()
}

// template prints a platform's objects, if none of them has an error.
func (f *platformFlags) template(cmd *cobra.Command, file string, fleet *fleetFlags, format manifest.Format) error {
	accepted := slices.Concat(platformOnly, []string{"overlay", "set", "output"})
	if err := rejectOtherFlags("a platform", cmd, accepted...); err != nil {
		return err
	}
	f.Overlays, f.Set = fleet.overlays, fleet.sets
	objects, diags := layers.Render(file, f.Options)
	if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	if f.Layer != "" && format == manifest.YAML {
		if _, err := io.WriteString(cmd.OutOrStdout(), layers.Headline(file, f.Layer, f.Options)); err != nil {
			return fmt.Errorf("writing manifests: %w", err)
		}
	}
	return output.Objects(cmd.OutOrStdout(), format, objects)
}

// rejectPlatformFlags rejects the flags that a fleet does not accept.
func rejectPlatformFlags(cmd *cobra.Command) error {
	for _, name := range platformOnly {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			return fmt.Errorf("--%s is for a platform.yaml; remove it, or name one", name)
		}
	}
	return nil
}

// rejectOtherFlags rejects all flags that were set, except the accepted ones.
func rejectOtherFlags(what string, cmd *cobra.Command, accepted ...string) error {
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(accepted, flag.Name) {
			err = fmt.Errorf("--%s is not for %s; remove it", flag.Name, what)
		}
	})
	return err
}
