package main

import (
	"maps"
	"slices"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// The files that make a directory the root of a fleet or a platform.
const (
	fleetFile    = "fleet.yaml"
	platformFile = "platform.yaml"
)

// mostOutput is the maximum size of the manifests in bytes. Argo CD accepts no more (argo-cd v3.2,
// cmpserver/apiclient/clientset.go, MaxGRPCMessageSize).
const mostOutput = 100 << 20

// mostVMs is the maximum number of VMs, which limits the CPU time: a few lines with `replicas` would otherwise take it
// all. 100 MiB of manifests have about 36,000 VMs.
const mostVMs = 40_000

// generate writes the manifests of the working directory's part of the fleet, after
// all of it is rendered.
func (s *sidecar) generate() error {
	if s.request.Content == plugin.Platform {
		return s.generatePlatform(platformFile)
	}
	opts := s.options()
	if err := problems.Report(s.stderr, &s.problems); err != nil {
		return err
	}
	c := render.NewCollector()
	c.APIs, c.Most = render.APIs(s.request.APIVersions), mostOutput
	opts.Full = c.Full
	f, diags := inventory.Visit(".", opts, c.Visit)
	if f.Header.Target.ByFlux() {
		diags.Errorf(f.HeaderPos(source.Pos{}, "target", "delivery"), rule.Delivery, "target.delivery",
			"Argo CD reads no annotation for Flux, and would delete what they keep; remove the Application, or the key")
	}
	c.CheckAPIs(diags)
	c.CheckSize(diags)
	rendered := c.Rendered(diags)
	if err := problems.Report(s.stderr, inParameters(diags)); err != nil {
		return err
	}
	return output.Machines(s.stdout, manifest.Lists, rendered)
}

// options returns the options of the fleet that the Application sets. fleet.yaml
// and overlays are searched up to the repository's root.
func (s *sidecar) options() fleet.Options {
	apis := render.APIs(s.request.APIVersions)
	return fleet.Options{
		Application: s.request.Application, Namespace: s.request.Namespace,
		Set:      pairs(s.request.Vars),
		Defaults: pairs(s.request.Defaults),
		KubeVirt: apis.KubeVirt(),
		Image:    s.request.Image,
		Overlays: s.resolveOverlays(),
		VMs:      s.request.VMs,
		MostVMs:  mostVMs,
		Limit:    s.tree.root,

		NoOpenShift: apis.NoOpenShift(),
		Workers:     process.Workers(),
		Rest:        process.Rest(),
	}
}

// pairs returns the entries of a map as options, sorted by key.
func pairs(entries map[string]string) []string {
	list := make([]string, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, key+"="+entries[key])
	}
	return list
}

// resolveOverlays returns the paths of the overlays, and reports those outside of
// the repository.
func (s *sidecar) resolveOverlays() []string {
	var paths []string
	for _, name := range s.request.Overlays {
		path, err := s.tree.resolve(name)
		if err != nil {
			s.problems.Errorf(source.Pos{}, rule.BadPath, "", "overlay %q: %s", name, err)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}
