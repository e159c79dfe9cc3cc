package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// platformFlags are what the command line says about a platform; a fleet has none of them.
type platformFlags struct {
	layer       string
	as          enum
	kubeVersion string
	apiVersions []string
}

func (f *platformFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.layer, "layer", "", "`name` of the layer of a platform.yaml to render; the app-of-apps by default")
	f.as.accepted = []string{"policy"}
	flags.Var(&f.as, "as", "wrap the layers of a platform.yaml: `policy` makes policies of Red Hat Advanced Cluster Management")
	f.registerCluster(cmd)
	completeFlag(cmd, "as", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"policy"}, cobra.ShellCompDirectiveNoFileComp
	})
}

// registerCluster adds what is known about the cluster.
func (f *platformFlags) registerCluster(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.kubeVersion, "kube-version", "", "Kubernetes `version` of the cluster, for the charts of a platform.yaml")
	flags.StringSliceVar(&f.apiVersions, "api-versions", nil, "group/version or group/version/Kind that the cluster serves, `list`ed with commas, for a platform.yaml")
}

// problem is what is wrong with the flags, whatever the platform.
func (f *platformFlags) problem() error {
	switch {
	case f.as.value != "" && f.layer != "":
		return errors.New("--as and --layer exclude each other; use one of them")
	case f.kubeVersion != "" && !layers.IsVersion(f.kubeVersion):
		return fmt.Errorf("--kube-version %q; expected a version such as \"1.33\"", f.kubeVersion)
	}
	return nil
}

// file is [platformFile], and the platform beside a fleet where a flag asks for it.
func (f *platformFlags) file(path string) (string, bool) {
	beside := filepath.Join(path, layers.FileName)
	if (f.layer != "" || f.as.value != "") && isFile(beside) {
		return beside, true
	}
	return platformFile(path)
}

// platformFile tells whether a path is a platform's file, or a directory that
// holds one and no fleet, and returns the file's path.
func platformFile(path string) (string, bool) {
	if filepath.Base(path) == layers.FileName {
		return path, true
	}
	file := filepath.Join(path, layers.FileName)
	if !isFile(file) || isFile(filepath.Join(path, "fleet.yaml")) {
		return "", false
	}
	return file, true
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (f *platformFlags) options() layers.Options {
	return layers.Options{KubeVersion: f.kubeVersion, APIVersions: f.apiVersions}
}

// render renders what the flags ask for.
func (f *platformFlags) render(file string) ([]manifest.Object, *source.Diagnostics) {
	switch {
	case f.as.value != "":
		return layers.RenderPolicies(file, f.options())
	case f.layer != "":
		return layers.RenderLayer(file, f.layer, f.options())
	}
	return layers.RenderApps(file, f.options())
}

// template prints a platform's objects once all of them are right.
func (f *platformFlags) template(cmd *cobra.Command, file string, format manifest.Format) error {
	if err := notFor("a platform", cmd, "layer", "as", "kube-version", "api-versions", "output"); err != nil {
		return err
	}
	objects, diags := f.render(file)
	if err := complain(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	return writeObjects(cmd.OutOrStdout(), format, objects)
}

func writeObjects(stdout io.Writer, format manifest.Format, objects []manifest.Object) error {
	w := manifest.NewWriter(stdout, format)
	for _, o := range objects {
		if err := w.Write(o.JSON); err != nil {
			return writing(err)
		}
	}
	return writing(w.Close())
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
