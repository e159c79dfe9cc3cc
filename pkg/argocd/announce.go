package argocd

import (
	"encoding/json"
	"io"
)

// Announcement describes a parameter to Argo CD's user interface, which shows
// it with its value as a form (ParameterAnnouncement in argo-cd v3.2,
// reposerver/repository/repository.proto). Argo CD passes none of the values to
// the plugin before somebody sets them.
type Announcement struct {
	// Name of the parameter in the Application.
	Name string `json:"name"`
	// Title is its name for people.
	Title string `json:"title"`
	// Tooltip says in a sentence what it is for.
	Tooltip string `json:"tooltip"`
	// CollectionType is "string", "array" or "map".
	CollectionType string `json:"collectionType"`
	// Map is the value of a map where the Application gives none.
	Map map[string]string `json:"map,omitempty"`
}

// Announcements are all parameters. vars, which may be nil, are the values that
// the parameter of that name can replace, by dotted key.
func Announcements(vars map[string]string) []Announcement {
	table := parameters()
	all := make([]Announcement, len(table))
	for i, p := range table {
		all[i] = p.Announcement
		if p.Name == "vars" {
			all[i].Map = vars
		}
	}
	return all
}

// WriteAnnouncements writes [Announcements] as the JSON list that Argo CD wants
// on the standard output of a plugin's dynamic parameters command.
func WriteAnnouncements(w io.Writer, vars map[string]string) error {
	return json.NewEncoder(w).Encode(Announcements(vars))
}
