package layers

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// migrations contains the fields that name a network for live migration: of
// HyperConverged v1beta1 and v1, and of KubeVirt.
type migrations struct {
	Spec struct {
		LiveMigrationConfig liveMigration `json:"liveMigrationConfig"`
		Virtualization      struct {
			LiveMigrationConfig liveMigration `json:"liveMigrationConfig"`
		} `json:"virtualization"`
		Configuration struct {
			Migrations liveMigration `json:"migrations"`
		} `json:"configuration"`
	} `json:"spec"`
}

// migrationValues are the values that name the network, by chart.
var migrationValues = map[string][]string{
	"hyperconverged": {"virtualization", "liveMigrationConfig", "network"},
	"kubevirt":       {"kubevirt", "configuration", "migrations", "network"},
}

type liveMigration struct {
	Network string `json:"network"`
}

// migrationNetwork returns the name of the network for live migration that an object
// sets, or "" if it sets none.
func migrationNetwork(o manifest.Object) string {
	var m migrations
	if o.Kind != "HyperConverged" && o.Kind != "KubeVirt" || json.Unmarshal(o.JSON, &m) != nil {
		return ""
	}
	for _, config := range []liveMigration{
		m.Spec.LiveMigrationConfig, m.Spec.Virtualization.LiveMigrationConfig, m.Spec.Configuration.Migrations,
	} {
		if config.Network != "" {
			return config.Network
		}
	}
	return ""
}

// checkMigrationNetworks checks the networks for live migration. virt-operator attaches
// virt-handler to them (kubevirt/kubevirt v1.8.4, pkg/virt-operator/resource/generate/
// components/daemonsets.go), in the namespace of KubeVirt. Its pods do not start before
// the network exists, and end if their interface has no address
// (cmd/virt-handler/virt-handler.go).
func checkMigrationNetworks(layers []rendered, diags *source.Diagnostics) {
	for _, r := range layers {
		for _, o := range r.objects {
			if network := migrationNetwork(o); network != "" {
				checkMigrationNetwork(r, o.Namespace, network, layers, diags)
			}
		}
	}
}

func checkMigrationNetwork(r rendered, namespace, network string, layers []rendered, diags *source.Diagnostics) {
	report := func(problem string, args ...any) {
		at, path := r.locate(r.Values, migrationValues[r.entry.Name])
		diags.Errorf(at, rule.MigrationNetwork, path, problem, args...)
	}
	from, found := attachmentOf(layers, namespace, network)
	switch {
	case found == nil && slices.ContainsFunc(layers, func(l rendered) bool { return l.entry.Name == "network" }):
		report("no layer creates the NetworkAttachmentDefinition %s/%s; "+
			"add it to the layer of the chart network, with `ipam`", namespace, network)
	case found == nil:
		at, path := r.locate(r.Values, migrationValues[r.entry.Name])
		diags.Warnf(at, rule.MigrationNetwork, path, "no layer creates the NetworkAttachmentDefinition %s/%s, "+
			"without which virt-handler does not start; create it before this layer", namespace, network)
	case from.name != r.name && from.wave() >= r.wave():
		report("the layer %q creates %s/%s no earlier than this layer, and virt-handler cannot start without it; "+
			"expected an earlier wave", from.name, namespace, network)
	case !givesAddresses(*found):
		report("the network %s/%s assigns no addresses, and virt-handler exits without an address; "+
			"add `ipam` in the layer %q", namespace, network, from.name)
	}
}

// attachmentOf returns a NetworkAttachmentDefinition, or the object that an operator makes it of, and the layer that
// renders it, or nil if there is none.
func attachmentOf(layers []rendered, namespace, name string) (rendered, *manifest.Object) {
	for _, r := range layers {
		for i, o := range r.objects {
			if o.Name == name && attachmentNamespace(o) == namespace {
				return r, &r.objects[i]
			}
		}
	}
	return rendered{}, nil
}

// attachmentNamespace returns the namespace of the NetworkAttachmentDefinition that an object is, or that an operator
// makes of it, or "" if there is none.
func attachmentNamespace(o manifest.Object) string {
	var network struct {
		Spec struct {
			Namespace string `json:"networkNamespace"`
		} `json:"spec"`
	}
	switch o.Kind {
	case "NetworkAttachmentDefinition", "UserDefinedNetwork":
		return o.Namespace
	case "SriovNetwork": // sriov-network-operator, release-4.20, api/v1/helper.go, RenderNetAttDef
		if json.Unmarshal(o.JSON, &network) == nil {
			return cmp.Or(network.Spec.Namespace, o.Namespace)
		}
	}
	return ""
}

// givesAddresses reports whether the CNI configuration of a NetworkAttachmentDefinition
// has address management: `ipam` with a type, or the `subnets` of OVN-Kubernetes, as those of networks that become one
// have. A configuration that cannot be read is not checked.
func givesAddresses(o manifest.Object) bool {
	var definition struct {
		Spec struct {
			Config string `json:"config"`
			IPAM   string `json:"ipam"`
			Layer2 struct {
				Subnets []string `json:"subnets"`
			} `json:"layer2"`
		} `json:"spec"`
	}
	var config struct {
		IPAM    map[string]any   `json:"ipam"`
		Subnets string           `json:"subnets"`
		Plugins []map[string]any `json:"plugins"`
	}
	if json.Unmarshal(o.JSON, &definition) != nil {
		return true
	}
	switch o.Kind {
	case "SriovNetwork":
		return definition.Spec.IPAM != ""
	case "UserDefinedNetwork":
		return definition.Spec.Layer2.Subnets != nil
	}
	if json.Unmarshal([]byte(definition.Spec.Config), &config) != nil {
		return true
	}
	return config.IPAM["type"] != nil || config.Subnets != "" || config.Plugins != nil
}
