package fleet

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// platform is what a platform.yaml beside fleet.yaml says that matters to
// virtual machines. It is read as data, without its charts: the sidecar has none.
type platform struct {
	file     string
	networks []string     // namespace/name, or the name of a network in every namespace
	known    bool         // a layer of the platform makes networks
	entries  *source.Node // of the catalogue: networks and storage classes
	// drains says that a VM that does not say otherwise is migrated when its node is drained.
	drains bool
}

// readPlatform reads the platform beside the fleet; nil where there is none.
// What is wrong in it is for its own validation to say.
func readPlatform(root string) *platform {
	path := filepath.Join(root, platformName)
	data, err := readFile(path)
	if err != nil {
		return nil
	}
	docs := source.Parse(&source.File{Name: path, Data: data}, new(source.Diagnostics))
	if len(docs) == 0 || !strings.HasPrefix(text(docs[0].Get("apiVersion")), "vmrender.io/") {
		return nil
	}
	p := &platform{file: path, entries: &source.Node{Kind: source.Map}}
	var networks, classes []source.Field
	for _, layer := range fields(docs[0].Get("layers")) {
		chart := text(layer.Value.Get("chart"))
		if chart == "" {
			chart = layer.Key
		}
		values := layer.Value.Get("values")
		switch chart {
		case "network":
			p.known = true
			networks = append(networks, p.networkEntries(values)...)
		case "storage":
			classes = append(classes, classEntries(values)...)
		case "hyperconverged":
			strategy := text(values.Get("virtualization", "evictionStrategy"))
			p.drains = strategy == "" || strategy == "LiveMigrate"
		}
	}
	p.add("networks", networks)
	p.add("storageClasses", classes)
	return p
}

// catalog are the entries that the platform adds to the catalogue.
func (p *platform) catalog() *source.Node {
	if p == nil {
		return nil
	}
	return p.entries
}

func (p *platform) add(key string, entries []source.Field) {
	if entries != nil {
		p.entries.Fields = append(p.entries.Fields, source.Field{Key: key, Value: &source.Node{Kind: source.Map, Fields: entries}})
	}
}

// networkEntries are the catalogue's entries for what the chart `network` makes:
// a NetworkAttachmentDefinition has a namespace, a ClusterUserDefinedNetwork is
// in that of the VM.
func (p *platform) networkEntries(values *source.Node) []source.Field {
	attachments, userDefined := fields(values.Get("networks")), fields(values.Get("userDefinedNetworks"))
	out := make([]source.Field, 0, len(attachments)+len(userDefined))
	for _, f := range attachments {
		namespace := text(f.Value.Get("namespace"))
		if namespace == "" {
			namespace = "default"
		}
		out = append(out, p.network(f, namespace+"/"+f.Key))
	}
	for _, f := range userDefined {
		entry := p.network(f, f.Key)
		own := source.Field{Key: "#ownNamespace", Value: &source.Node{Kind: source.Bool, Text: "true"}}
		entry.Value.Fields = append(entry.Value.Fields, own)
		out = append(out, entry)
	}
	return out
}

func (p *platform) network(f source.Field, nad string) source.Field {
	p.networks = append(p.networks, nad)
	entry := []source.Field{scalar(f, "nad", nad)}
	if vlan := f.Value.Field("vlan"); vlan != nil {
		entry = append(entry, *vlan)
	}
	return mapEntry(f, entry)
}

// classEntries are the catalogue's entries for the classes of the chart
// `storage`, with the modes that it prefers.
func classEntries(values *source.Node) []source.Field {
	classes := fields(values.Get("classes"))
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
		if mode := text(modes.Get("volumeMode")); mode != "" {
			entry = append(entry, scalar(f, "volumeMode", mode))
		}
		out = append(out, mapEntry(f, entry))
	}
	return out
}

// mapEntry is an entry of the catalogue in place of one of the platform.
func mapEntry(at source.Field, entry []source.Field) source.Field {
	value := &source.Node{Kind: source.Map, Line: at.Line, Col: at.Col, File: at.Value.File, Fields: entry}
	return source.Field{Key: at.Key, Line: at.Line, Col: at.Col, Value: value}
}

func scalar(at source.Field, key, value string) source.Field {
	n := &source.Node{Kind: source.String, Line: at.Line, Col: at.Col, File: at.Value.File, Text: value}
	return source.Field{Key: key, Line: at.Line, Col: at.Col, Value: n}
}

func text(n *source.Node) string {
	if n == nil || n.Kind != source.String {
		return ""
	}
	return n.Text
}

// platformFits warns of what the platform beside the fleet cannot give the VM.
func (s *subject) platformFits() {
	if s.platform == nil || s.diags.HasErrors() {
		return
	}
	for i := range s.m.NICs {
		if n := &s.m.NICs[i]; s.platform.known && n.NAD != "" && !slices.Contains(s.platform.networks, n.NAD) {
			s.diags.Warnf(n.Pos, "platform-network", s.path+"."+nicPath(i), "no layer of %s makes the network %q; %s",
				s.platform.file, n.NAD, source.DidYouMean(n.NAD, s.platform.networks))
		}
	}
	if s.m.EvictionStrategy == "LiveMigrate" || s.m.EvictionStrategy == "" && s.platform.drains {
		s.migratable()
	}
}

// migratable warns of disks that keep a VM on its node although a drain of the
// node waits for it to be migrated (kubevirt/kubevirt pkg/virt-handler/vm.go,
// checkVolumesForMigration, v1.8.4).
func (s *subject) migratable() {
	for i := range s.m.Disks {
		d := &s.m.Disks[i]
		if d.AccessMode == "" || d.AccessMode == "ReadWriteMany" || (d.Kind != DiskDataVolume && d.Kind != DiskClaim) {
			continue
		}
		s.diags.Warnf(d.Pos, "not-migratable", s.path+".disks."+d.Name,
			"the disk is %s, which rules out live migration, and a drain of the node waits for it; use a class with ReadWriteMany, or `evictionStrategy: LiveMigrateIfPossible` or `None`", d.AccessMode)
		return
	}
}
