package argocd

import (
	"maps"
	"strings"
)

// The collection types of parameters.
const (
	text  = "string"
	array = "array"
	dict  = "map"
)

// parameter is one that an Application can give under `plugin.parameters`, or
// as a variable under `plugin.env`.
type parameter struct {
	Announcement
	// take stores a value of the parameter's collection type.
	take func(*Application, value)
}

// parameters is the table of all that the plugin accepts.
func parameters() []parameter {
	return []parameter{
		{
			Announcement{
				Name: "namespace", Title: "Namespace", CollectionType: text,
				Tooltip: "Namespace of VMs that have none; the Application's destination where empty",
			},
			func(app *Application, v value) {
				if *v.String != "" {
					app.Namespace = *v.String
				}
			},
		},
		{
			Announcement{
				Name: "vm", Title: "VMs", CollectionType: array,
				Tooltip: "Names, or namespace/name, of the VMs to render; all where empty. With automatic pruning all others are deleted",
			},
			func(app *Application, v value) { app.VMs = *v.Array },
		},
		{
			Announcement{
				Name: "overlay", Title: "Overlays", CollectionType: array,
				Tooltip: "Files that merge over the fleet, in order: relative to the Application's path, or to the repository with a leading slash",
			},
			func(app *Application, v value) { app.Overlays = *v.Array },
		},
		{
			Announcement{
				Name: "vars", Title: "Vars", CollectionType: dict,
				Tooltip: "Vars for templates by dotted key; they win over those of all files",
			},
			func(app *Application, v value) {
				merged := maps.Clone(app.Vars)
				if merged == nil {
					merged = map[string]string{}
				}
				maps.Copy(merged, *v.Map)
				app.Vars = merged
			},
		},
	}
}

// find returns the parameter of a name.
func find(name string) (parameter, bool) {
	for _, p := range parameters() {
		if p.Name == name {
			return p, true
		}
	}
	return parameter{}, false
}

// names are those of all parameters, each in the given form.
func names(form func(string) string) []string {
	table := parameters()
	all := make([]string, len(table))
	for i, p := range table {
		all[i] = form(p.Name)
	}
	return all
}

// variable is the name under `plugin.env` that stands for a parameter.
func variable(name string) string { return "VMRENDER_" + strings.ToUpper(name) }

func plain(name string) string { return name }
