package catalog

import (
	"fmt"
	"strconv"
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
	if kind == "os" {
		if known := s.system(name); known != "" {
			return suggest.OneOf([]string{known})
		}
	}
	return suggest.DidYouMean(name, s.Names(kind))
}

// otherNames are words of names that operating systems have elsewhere, with what they are here.
var otherNames = strings.NewReplacer(
	" ", "", "-", "", "_", "", ".", "", "microsoft", "", "server", "", "win2k", "windows20", "windows2k", "windows20",
	"redhatenterpriselinux", "rhel", "redhat", "rhel", "windows", "windows", "win", "windows",
)

// system returns the operating system that a name without a version, such as "rhel", or of another form, such as
// "Windows Server 2022", stands for, or "". Without a version it is the newest one.
func (s *Set) system(name string) string {
	plain, best := otherNames.Replace(strings.ToLower(name)), ""
	newest, longest := -1, 0
	for _, known := range s.Names("os") {
		k := otherNames.Replace(strings.ToLower(known))
		version, versioned := lastNumber(k)
		switch {
		case k == plain:
			return known
		case !versioned || longest > 0 && !strings.HasPrefix(plain, k):
		case strings.HasPrefix(plain, k) && len(k) > longest:
			best, longest = known, len(k)
		case len(plain) > 1 && strings.HasPrefix(k, plain) && version > newest:
			best, newest = known, version
		}
	}
	return best
}

// lastNumber returns the number at the end of a name, and whether there is one.
func lastNumber(name string) (int, bool) {
	n, err := strconv.Atoi(name[len(strings.TrimRight(name, "0123456789")):])
	return n, err == nil
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
	for _, known := range s.Names("networks") {
		if net := s.Network(known); net != nil && net.VLAN > 0 && strconv.Itoa(net.VLAN) == name {
			return fmt.Sprintf("unknown network %q; did you mean %q, which has this VLAN?", name, known)
		}
	}
	if _, near := suggest.Nearest(name, s.Names("networks")); !near {
		problem += ", or namespace/name of a NetworkAttachmentDefinition"
	}
	return problem
}
