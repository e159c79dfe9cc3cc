package fleet

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Platform is the part of a platform.yaml next to fleet.yaml that matters to
// VMs. It is read as data, without its charts, which are not in the sidecar.
type Platform struct {
	File string
	// Files are all files that it consists of.
	Files []string
	// Networks are namespace/name, or the name of a network that exists in every namespace.
	Networks []string
	// Primary are the networks that replace the pod network, with their namespace, or "" if a selector selects it.
	Primary map[string]string
	// HasNetworks is true if a layer of the platform creates networks, so that no other network exists.
	HasNetworks bool
	// Drains is true if VMs without an eviction strategy are migrated when their node is drained.
	Drains bool
	// Pool is the pool of nodes that runs VMs; nil if no layer names one.
	Pool *platform.Pool

	entries *source.Node // for the catalog: networks and storage classes
}

// readPlatform reads the platform next to the fleet, or returns nil if there
// is none. Problems in its content are not reported here, but when the platform
// itself is validated.
func (f *Fleet) readPlatform() *Platform {
	path := filepath.Join(f.tree.root, platformName)
	if !exists(path) {
		return nil
	}
	if problem := linkProblem(f.tree.root, path); problem != "" {
		f.fail(path, rule.BadPath, problem)
		return nil
	}
	if _, err := source.ReadFile(path); err != nil {
		f.fail(path, rule.Unreadable, err.Error())
		return nil
	}
	doc := platform.Read(path, platform.Options{Root: f.Limit}, new(source.Diagnostics))
	if doc == nil || !strings.HasPrefix(doc.Tree.Get("apiVersion").Str(), "vmrender.io/") {
		return nil
	}
	p := &Platform{File: path, Files: doc.Files, Primary: map[string]string{}, entries: &source.Node{Kind: source.Map}}
	var networks, classes []source.Field
	for _, layer := range doc.Tree.Get("layers").Entries() {
		chart := layer.Key
		if named := layer.Value.Get("chart"); named.IsSet() {
			chart = named.Str() // none, if the chart is not one of ours
		}
		values := layer.Value.Get("values")
		switch chart {
		case "network":
			p.HasNetworks = true
			networks = append(networks, p.networkEntries(values)...)
		case "storage":
			classes = append(classes, classEntries(values)...)
		case "node-pools":
			p.Pool = platform.VMPool(values)
		case "hyperconverged":
			strategy := values.Get("virtualization", "evictionStrategy").Str()
			p.Drains = strategy == "" || strategy == "LiveMigrate"
		}
	}
	p.add("networks", networks)
	p.add("storageClasses", classes)
	return p
}

// catalog returns the entries that the platform adds to the catalog.
func (p *Platform) catalog() *source.Node {
	if p == nil {
		return nil
	}
	return p.entries
}

func (p *Platform) add(key string, entries []source.Field) {
	if entries != nil {
		value := &source.Node{Kind: source.Map, Fields: entries}
		p.entries.Fields = append(p.entries.Fields, source.Field{Key: key, Value: value})
	}
}

// networkEntries returns the catalog entries for the networks of the chart `network`: a
// NetworkAttachmentDefinition, that of a SriovNetwork, and a UserDefinedNetwork have a namespace, a
// ClusterUserDefinedNetwork is in the namespace of each VM.
func (p *Platform) networkEntries(values *source.Node) []source.Field {
	attachments, functions := values.Get("networks").Entries(), values.Get("sriov", "networks").Entries()
	userDefined := values.Get("userDefinedNetworks").Entries()
	out := make([]source.Field, 0, len(attachments)+len(functions)+len(userDefined))
	for _, f := range attachments {
		out = append(out, p.network(f, namespaceOf(f)+"/"+f.Key))
	}
	for _, f := range functions {
		out = append(out, p.network(f, namespaceOf(f)+"/"+f.Key, scalar(f, "binding", "sriov")))
	}
	for _, f := range userDefined {
		out = append(out, p.userDefined(f))
	}
	return out
}

// namespaceOf returns the namespace of the NetworkAttachmentDefinition of an entry.
func namespaceOf(f source.Field) string {
	return cmp.Or(f.Value.Get("namespace").Str(), "default")
}

// userDefined returns the catalog entry for a user-defined network. A primary one is the pod network of its
// namespaces, whose NICs need the binding that HyperConverged registers for it
// (kubevirt/hyperconverged-cluster-operator, controllers/handlers/kubevirt.go, primaryUDNNetworkBindingName).
func (p *Platform) userDefined(f source.Field) source.Field {
	namespace := f.Value.Get("namespace").Str()
	switch {
	case f.Value.Get("role").Str() == "Primary":
		p.Primary[f.Key] = namespace
		pod := scalar(f, "pod", "true")
		pod.Value.Kind = source.Bool
		return mapEntry(f, []source.Field{pod, scalar(f, "binding", "l2bridge")})
	case namespace != "":
		return p.network(f, namespace+"/"+f.Key)
	}
	entry := p.network(f, f.Key)
	entry.Value.Get("nad").Style = source.ShortForm // in the namespace of each VM
	return entry
}

// network returns the catalog entry for a NetworkAttachmentDefinition, with further keys.
func (p *Platform) network(f source.Field, nad string, further ...source.Field) source.Field {
	p.Networks = append(p.Networks, nad)
	entry := append([]source.Field{scalar(f, "nad", nad)}, further...)
	if vlan := f.Value.Field("vlan"); vlan != nil {
		entry = append(entry, *vlan)
	}
	return mapEntry(f, entry)
}

// classEntries returns the catalog entries for the classes of the chart
// `storage`, with their preferred modes.
func classEntries(values *source.Node) []source.Field {
	classes := values.Get("classes").Entries()
	out := make([]source.Field, 0, len(classes))
	for _, f := range classes {
		modes := f.Value
		if sets := modes.Get("claimPropertySets"); sets != nil && len(sets.Items) > 0 {
			modes = sets.Items[0]
		}
		entry := []source.Field{scalar(f, "name", f.Key)}
		if access := modes.Get("accessModes"); access != nil && len(access.Items) > 0 {
			entry = append(entry, scalar(f, "accessMode", access.Items[0].Text))
		}
		if mode := modes.Get("volumeMode").Str(); mode != "" {
			entry = append(entry, scalar(f, "volumeMode", mode))
		}
		out = append(out, mapEntry(f, entry))
	}
	return out
}

// mapEntry returns a catalog entry at the position of an entry of the
// platform.
func mapEntry(at source.Field, entry []source.Field) source.Field {
	value := &source.Node{Kind: source.Map, Line: at.Line, Col: at.Col, File: at.Value.File, Fields: entry}
	return source.Field{Key: at.Key, Line: at.Line, Col: at.Col, Value: value}
}

func scalar(at source.Field, key, value string) source.Field {
	n := &source.Node{Kind: source.String, Line: at.Line, Col: at.Col, File: at.Value.File, Text: value}
	return source.Field{Key: key, Line: at.Line, Col: at.Col, Value: n}
}
