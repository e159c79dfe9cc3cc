package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
)

// fluxFlags are the flags of `vmrender app` for fleets that Flux delivers.
type fluxFlags struct{ source, path, namespace string }

func (f *fluxFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.source, "flux-source", "GitRepository/flux-system",
		"`KIND/NAME` of the source with the manifests, for a fleet that Flux delivers")
	flags.StringVar(&f.path, "flux-path", ".",
		"`directory` of the manifests in the source, for a fleet that Flux delivers")
	flags.StringVar(&f.namespace, "flux-namespace", "flux-system",
		"`namespace` of the Kustomizations and of the source, for a fleet that Flux delivers")
	for _, name := range []string{"flux-source", "flux-path", "flux-namespace"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
}

// ofFlux are the other flags that a fleet of Flux accepts.
var ofFlux = []string{"overlay", "namespace", "default", "set", "image", "name", "ignore"}

// reject reports flags for Flux in a fleet of Argo CD.
func (f *fluxFlags) reject(cmd *cobra.Command) error {
	return rejectFlags(cmd, func(name string) bool { return !isFluxFlag(name) },
		"is for Flux; set `target: {delivery: flux}`, or remove it")
}

func isFluxFlag(name string) bool { return strings.HasPrefix(name, "flux-") }

// rejectFlags reports the first flag that is set and not accepted.
func rejectFlags(cmd *cobra.Command, accepts func(name string) bool, why string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !accepts(flag.Name) && cmd.InheritedFlags().Lookup(flag.Name) == nil {
			err = fmt.Errorf("--%s %s", flag.Name, why)
		}
	})
	return err
}

// print prints a Kustomization for each of the directories.
func (f *fluxFlags) print(cmd *cobra.Command, plan *delivery.Plan, dirs []string) error {
	err := rejectFlags(cmd, func(name string) bool { return isFluxFlag(name) || slices.Contains(ofFlux, name) },
		"is for Argo CD, and the fleet has `target: {delivery: flux}`; remove it")
	if err != nil {
		return err
	}
	order, err := f.order(plan)
	if err != nil {
		return err
	}
	all, err := flux.Kustomizations(order, dirs)
	if err != nil {
		return err
	}
	objects := make([]any, len(all))
	for i := range all {
		objects[i] = all[i]
	}
	return output.Structs(cmd.OutOrStdout(), manifest.YAML, objects...)
}

// longestOrder leaves room for the name of a directory: the name of a Kustomization is the value of a label.
const longestOrder = 63 - len("-wave-") - len("-1000000")

func (f *fluxFlags) order(plan *delivery.Plan) (*flux.Order, error) {
	kind, name, ok := strings.Cut(f.source, "/")
	if !ok || name == "" || !slices.Contains(flux.SourceKinds, kind) {
		return nil, fmt.Errorf("--flux-source %q: expected KIND/NAME; for the kind, %s",
			f.source, suggest.DidYouMean(kind, flux.SourceKinds))
	}
	if f.path != path.Clean(f.path) || path.IsAbs(f.path) || strings.HasPrefix(f.path, "..") {
		return nil, fmt.Errorf("--flux-path %q: expected a directory in the source, such as \"clusters/prod\"", f.path)
	}
	prefix, err := plan.FluxName()
	if err == nil && len(prefix) > longestOrder {
		err = fmt.Errorf("the name %q has %d characters; give one of at most %d with --name",
			prefix, len(prefix), longestOrder)
	}
	return &flux.Order{
		Name: prefix, Namespace: f.namespace, Fleet: plan.Fleet().Header.Metadata.Name,
		Source: flux.Source{Kind: kind, Name: name}, Path: f.path, Ignore: plan.Ignored(),
	}, err
}
