package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
)

// Unknown returns the problem with a name that is not among the entries of a kind. what
// describes the expected name, such as "operating system". Kinds are those of
// [Set.Names].
func (s *Set) Unknown(what, kind, name string) suggest.Message {
	return suggest.Message{
		Problem: fmt.Sprintf("unknown %s %q", what, name),
		Names:   len(s.Names(kind)),
		End:     func() string { return s.meant(kind, name) },
	}
}

// meant returns a guess at the meaning of an unknown name: the system of an image of that
// name, such as win2k22, or an entry with a similar name.
func (s *Set) meant(kind, name string) string {
	if kind == "os" {
		s.findImages.Do(s.rememberImages)
		if known, ok := s.ofImage[strings.ToLower(name)]; ok {
			return suggest.OneOf([]string{known})
		}
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

// rememberImages finds the first operating system for each name of an image's DataSource.
func (s *Set) rememberImages() {
	s.ofImage = map[string]string{}
	for _, name := range slices.Backward(s.Names("os")) {
		if os := s.OS(name); os != nil && os.Image != nil && os.Image.DataSource != "" {
			_, image, _ := strings.Cut(os.Image.DataSource, "/")
			s.ofImage[strings.ToLower(image)] = name
		}
	}
}

// UnknownNetwork returns the problem with the name of a network that does not exist.
func (s *Set) UnknownNetwork(name string) suggest.Message {
	problem := s.Unknown("network", "networks", name)
	problem.End = func() string { return s.meantNetwork(name) }
	return problem
}

func (s *Set) meantNetwork(name string) string {
	names := s.Names("networks")
	for _, known := range names {
		if net := s.Network(known); net != nil && net.VLAN > 0 && strconv.Itoa(net.VLAN) == name {
			return fmt.Sprintf("did you mean %q, which has this VLAN?", known)
		}
	}
	end := suggest.DidYouMean(name, names)
	if _, near := suggest.Nearest(name, names); !near {
		end += ", or namespace/name of a NetworkAttachmentDefinition"
	}
	return end
}
