package plugin

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Announcement describes a parameter to Argo CD's user interface, which shows it as a
// form (ParameterAnnouncement in argo-cd v3.2, reposerver/repository/repository.proto).
// It never contains a value: users who can see the form may not be able to read the
// repository, and any value can be a secret.
type Announcement struct {
	// Name of the parameter in the Application.
	Name string `json:"name"`
	// Title is the display name.
	Title string `json:"title"`
	// Tooltip describes the parameter in one sentence.
	Tooltip string `json:"tooltip"`
	// CollectionType is "string", "array" or "map".
	CollectionType string `json:"collectionType"`
}

// StaticAnnouncements returns the parameters that plugin.yaml lists. Their forms are
// the same for every Application.
func StaticAnnouncements() []Announcement { return announcements(false) }

// DynamicAnnouncements returns the parameters whose forms depend on the Application's
// files. vars are the keys that files set and that the parameter of that name can
// replace. Argo CD appends this list to the other one, so no parameter is in both
// (argo-cd v3.2, cmpserver/plugin/plugin.go).
func DynamicAnnouncements(vars []string) []Announcement {
	all := announcements(true)
	for i := range all {
		all[i].Tooltip += listed(vars)
	}
	return all
}

// mostListed is the maximum number of keys in a tooltip.
const mostListed = 50

// listed returns the end of a tooltip that lists keys.
func listed(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	text := ". The files set " + strings.Join(keys[:min(len(keys), mostListed)], ", ")
	if more := len(keys) - mostListed; more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
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
func WriteAnnouncements(w io.Writer, vars []string) error {
	return json.NewEncoder(w).Encode(DynamicAnnouncements(vars))
}
