package plugin

import (
	"cmp"
	"maps"
	"strings"
)

// The collection types of parameters.
const (
	text  = "string"
	array = "array"
	dict  = "map"
)

// parameter is a parameter that an Application can set under `plugin.parameters`, or as
// a variable under `plugin.env`.
type parameter struct {
	Announcement
	// of is the content of a directory that the parameter applies to; empty for any.
	of Content
	// example is a value as it is written in an Application.
	example string
	// dynamic announces the parameter with the values that files set.
	dynamic bool
	// take stores a value of the parameter's collection type.
	take func(*Request, value)
}

// LayerParameter is the name of the parameter that selects a layer of a platform. In a
// directory with a fleet and a platform, it must have a value.
const LayerParameter = "layer"

// Values of the layer that are not the name of one.
const (
	// AllLayers selects the Applications of all layers of a platform.
	AllLayers = "*"
	// NoLayer selects the fleet in a directory that also has a platform.
	NoLayer = "-"
)

// parameters returns the table of all parameters that the plugin accepts.
func parameters() []parameter {
	return []parameter{
		{
			Announcement: Announcement{
				Name: "namespace", Title: "Namespace", CollectionType: text,
				Tooltip: "Namespace of VMs that have none; the Application's destination if empty",
			},
			of:      Fleet,
			example: "prod",
			take:    func(r *Request, v value) { r.Namespace = cmp.Or(*v.String, r.Namespace) },
		},
		{
			Announcement: Announcement{
				Name: "vm", Title: "VMs", CollectionType: array,
				Tooltip: "Names, or namespace/name, of the VMs to render; all if empty. " +
					"With automatic pruning all others are deleted",
			},
			of:      Fleet,
			example: "[web01, prod/db01]",
			take:    func(r *Request, v value) { r.VMs = *v.Array },
		},
		{
			Announcement: Announcement{
				Name: "overlay", Title: "Overlays", CollectionType: array,
				Tooltip: "Files that merge over the fleet or platform, in order: " +
					"relative to the Application's path, or to the repository with a leading slash",
			},
			example: "[../stages/test.yaml, /sites/b.yaml]",
			take:    func(r *Request, v value) { r.Overlays = *v.Array },
		},
		{
			Announcement: Announcement{
				Name: "defaults", Title: "Defaults", CollectionType: dict,
				Tooltip: "VM keys by dotted key, each with a value as in a file; " +
					"they override the defaults of all files, and the VM overrides them",
			},
			of:      Fleet,
			example: "{runStrategy: Halted, memory.guest: 16Gi}",
			take:    func(r *Request, v value) { r.Defaults = overlaid(r.Defaults, *v.Map) },
		},
		{
			Announcement: Announcement{
				Name: "vars", Title: "Vars", CollectionType: dict,
				Tooltip: "Vars for templates by dotted key; they override those of all files",
			},
			example: `{tier: gold, net.mtu: "9000"}`, dynamic: true,
			take: func(r *Request, v value) { r.Vars = overlaid(r.Vars, *v.Map) },
		},
		{
			Announcement: Announcement{
				Name: LayerParameter, Title: "Layer", CollectionType: text,
				Tooltip: "Layer of a platform.yaml to render; the Applications of all layers if empty. " +
					"If there is also a fleet.yaml, * for the Applications of all layers, and - for the fleet",
			},
			of:      Platform,
			example: "network",
			take:    func(r *Request, v value) { r.Layer = *v.String },
		},
	}
}

// overlaid returns a map with the entries of another merged over its own.
func overlaid(base, over map[string]string) map[string]string {
	merged := make(map[string]string, len(base)+len(over))
	maps.Copy(merged, base)
	maps.Copy(merged, over)
	return merged
}

// find returns the parameter of a name, and whether there is one.
func find(name string) (parameter, bool) {
	for _, p := range parameters() {
		if p.Name == name {
			return p, true
		}
	}
	return parameter{}, false
}

// names returns the names of all parameters, each in the given form.
func names(form func(string) string) []string {
	table := parameters()
	all := make([]string, len(table))
	for i, p := range table {
		all[i] = form(p.Name)
	}
	return all
}

// variable returns the name under `plugin.env` that stands for a parameter.
func variable(name string) string { return "VMRENDER_" + strings.ToUpper(name) }

func plain(name string) string { return name }
