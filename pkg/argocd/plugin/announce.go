package plugin

import (
	"encoding/json"
	"io"
)

// Announcement describes a parameter to Argo CD's user interface, which shows it with
// its value as a form (ParameterAnnouncement in argo-cd v3.2,
// reposerver/repository/repository.proto). Argo CD does not pass any of the values to
// the plugin until a user sets them.
type Announcement struct {
	// Name of the parameter in the Application.
	Name string `json:"name"`
	// Title is the display name.
	Title string `json:"title"`
	// Tooltip describes the parameter in one sentence.
	Tooltip string `json:"tooltip"`
	// CollectionType is "string", "array" or "map".
	CollectionType string `json:"collectionType"`
	// Map is the value of a map if the Application sets none.
	Map map[string]string `json:"map,omitempty"`
}

// StaticAnnouncements returns the parameters that plugin.yaml lists. Their forms are
// the same for every Application.
func StaticAnnouncements() []Announcement { return announcements(false) }

// DynamicAnnouncements returns the parameters whose forms depend on the Application's
// files. vars, which may be nil, are the values that the parameter of that name can
// replace, by dotted key. Argo CD appends this list to the other one, so no parameter
// is in both (argo-cd v3.2, cmpserver/plugin/plugin.go).
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
// expects on the standard output of a plugin's dynamic parameters command.
func WriteAnnouncements(w io.Writer, vars map[string]string) error {
	return json.NewEncoder(w).Encode(DynamicAnnouncements(vars))
}
