package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/report"
)

// platformFlags are what the command line says about a platform; a fleet has none of them.
type platformFlags struct {
	layers.Options
	as choice[word]
}

func (f *platformFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Layer, "layer", "", "`name` of the layer of a platform.yaml to render; the app-of-apps by default")
	f.as.accepted = []word{"policy"}
	flags.Var(&f.as, "as", "wrap the layers of a platform.yaml: `policy` makes policies of Red Hat Advanced Cluster Management")
	f.registerCluster(cmd)
	completeFlag(cmd, "as", cobra.FixedCompletions(f.as.names(), cobra.ShellCompDirectiveNoFileComp))
}

// registerCluster adds what is known about the cluster.
func (f *platformFlags) registerCluster(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.KubeVersion, "kube-version", "", "Kubernetes `version` of the cluster, for the charts of a platform.yaml")
	flags.StringSliceVar(&f.APIVersions, "api-versions", nil, "group/version or group/version/Kind that the cluster serves, `list`ed with commas, for a platform.yaml")
}

// check finds what is wrong with the flags, whatever the platform.
func (f *platformFlags) check(*cobra.Command, []string) error {
	f.Policies = f.as.value != ""
	return f.Check()
}

// template prints a platform's objects once all of them are right.
func (f *platformFlags) template(cmd *cobra.Command, file string, format manifest.Format) error {
	if err := notFor("a platform", cmd, "layer", "as", "kube-version", "api-versions", "output"); err != nil {
		return err
	}
	objects, diags := layers.Render(file, f.Options)
	if err := report.Problems(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	return output.Objects(cmd.OutOrStdout(), format, objects)
}

// onlyForPlatforms refuses the flags that mean nothing for a fleet.
func onlyForPlatforms(cmd *cobra.Command) error {
	for _, name := range []string{"layer", "as", "kube-version", "api-versions"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			return fmt.Errorf("--%s is for a platform.yaml; remove it, or name one", name)
		}
	}
	return nil
}

// notFor refuses flags that were set and mean nothing for what is rendered.
func notFor(what string, cmd *cobra.Command, meant ...string) error {
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(meant, flag.Name) {
			err = fmt.Errorf("--%s is not for %s; remove it", flag.Name, what)
		}
	})
	return err
}
