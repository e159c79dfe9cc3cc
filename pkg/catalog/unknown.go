package catalog

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
)

// Unknown returns the problem with a name that is not among the entries of a kind. what
// describes the expected name, such as "operating system". Kinds are those of
// [Set.Names].
func (s *Set) Unknown(what, kind, name string) string {
	return fmt.Sprintf("unknown %s %q; %s", what, name, s.meant(kind, name))
}

// meant returns a guess at the meaning of an unknown name: the system of an image of that
// name, such as win2k22, or an entry with a similar name.
func (s *Set) meant(kind, name string) string {
	if kind == "os" {
		images := s.imageNames()
		for _, known := range s.Names(kind) {
			if strings.EqualFold(images[known], name) {
				return suggest.OneOf([]string{known})
			}
		}
	}
	return suggest.DidYouMean(name, s.Names(kind))
}

// imageNames returns, by operating system, the name of the DataSource of its image.
func (s *Set) imageNames() map[string]string {
	names := map[string]string{}
	for _, name := range s.Names("os") {
		if os := s.OS(name); os != nil && os.Image != nil && os.Image.DataSource != "" {
			_, names[name], _ = strings.Cut(os.Image.DataSource, "/")
		}
	}
	return names
}

// UnknownNetwork returns the problem with the name of a network that does not exist.
func (s *Set) UnknownNetwork(name string) string {
	problem := s.Unknown("network", "networks", name)
	if _, near := suggest.Nearest(name, s.Names("networks")); !near {
		problem += ", or namespace/name of a NetworkAttachmentDefinition"
	}
	return problem
}
