package plugin

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

// StaticAnnouncements are the parameters that plugin.yaml lists: the form of
// each is the same for every Application.
func StaticAnnouncements() []Announcement { return announcements(false) }

// DynamicAnnouncements are the parameters whose form depends on the Application's
// files. vars, which may be nil, are the values that the parameter of that name
// can replace, by dotted key. Argo CD keeps both lists, one behind the other, so
// none has a parameter of the other (argo-cd v3.2, cmpserver/plugin/plugin.go).
func DynamicAnnouncements(vars map[string]string) []Announcement {
	all := announcements(true)
	for i := range all {
		all[i].Map = vars
	}
	return all
}

func announcements(dynamic bool) []Announcement {
	var some []Announcement
	for _, p := range parameters() {
		if p.dynamic == dynamic {
			some = append(some, p.Announcement)
		}
	}
	return some
}

// WriteAnnouncements writes [DynamicAnnouncements] as the JSON list that Argo CD
// wants on the standard output of a plugin's dynamic parameters command.
func WriteAnnouncements(w io.Writer, vars map[string]string) error {
	return json.NewEncoder(w).Encode(DynamicAnnouncements(vars))
}
