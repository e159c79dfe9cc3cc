// Package suggest finds what an unknown name was probably meant to be.
package suggest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxListed = 12 // the most accepted names that are all listed
	fewListed = 5  // how many are listed if there are more
)

// Nearest returns the known name that name was most likely meant to be, and whether
// there is one. That is a name at most two letters away (one for names under four
// letters, a third of the length for long ones), ignoring case; otherwise a name that
// starts with name; otherwise the longest name of three letters or more that name
// starts with; otherwise such a name without separators.
func Nearest(name string, known []string) (string, bool) {
	return nearest(name, known, rank(name, known))
}

func nearest(name string, known []string, ranked []candidate) (string, bool) {
	if len(ranked) == 0 {
		return "", false
	}
	if best := ranked[0]; best.distance <= tolerance(name) {
		return best.name, true
	}
	for _, c := range ranked {
		if len(name) >= 2 && strings.HasPrefix(strings.ToLower(c.name), strings.ToLower(name)) {
			return c.name, true
		}
	}
	if longest, found := longestStart(name, ranked); found {
		return longest, true
	}
	return withoutSeparators(name, known)
}

// withoutSeparators is like [Nearest], but ignores what separates the parts of a name: rhel-9.4
// is near to rhel9.
func withoutSeparators(name string, known []string) (string, bool) {
	plain := strings.NewReplacer("-", "", "_", "", ".", "")
	if plain.Replace(name) == name {
		return "", false
	}
	names := make(map[string]string, len(known))
	for _, k := range known {
		names[plain.Replace(k)] = k
	}
	near, found := Nearest(plain.Replace(name), slices.Sorted(maps.Keys(names)))
	return names[near], found
}

// longestStart returns the longest known name that is a prefix of name, as mac is of
// macAddress.
func longestStart(name string, known []candidate) (longest string, found bool) {
	const shortest = 3
	for _, c := range known {
		if len(c.name) >= max(shortest, len(longest)+1) && strings.HasPrefix(strings.ToLower(name), strings.ToLower(c.name)) {
			longest, found = c.name, true
		}
	}
	return longest, found
}

// DidYouMean returns the end of a message about an unknown name: `did you mean "x"?` if
// one of the known names is near, otherwise "accepted: a, b, c".
func DidYouMean(name string, known []string) string {
	ranked := rank(name, known)
	if near, ok := nearest(name, known, ranked); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	switch {
	case len(known) == 0:
		return "none is known here"
	case len(known) <= maxListed:
		return "accepted: " + list(slices.Compact(slices.Sorted(slices.Values(known))))
	}
	examples := make([]string, fewListed)
	for i, c := range ranked[:fewListed] {
		examples[i] = c.name
	}
	slices.Sort(examples)
	return fmt.Sprintf("accepted: %d names, for example: %s", len(known), list(examples))
}

// OneOf returns the end of a message about an unknown name that is known to stand for
// these elsewhere: `did you mean "x" or "y"?`.
func OneOf(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return "did you mean " + strings.Join(quoted, " or ") + "?"
}

// list returns names for a message, which is one line: those with a line break or
// another character that cannot be seen are in quotes.
func list(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = name
		if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
			shown[i] = quoted
		}
	}
	return strings.Join(shown, ", ")
}

func tolerance(name string) int {
	n := len([]rune(name))
	if n < 4 {
		return 1
	}
	return max(2, n/3)
}

type candidate struct {
	name     string
	distance int
}

// rank sorts the known names by their distance from name, then alphabetically.
func rank(name string, known []string) []candidate {
	wanted := newPattern(name)
	ranked := make([]candidate, len(known))
	for i, k := range known {
		ranked[i] = candidate{k, wanted.distance(k)}
	}
	slices.SortFunc(ranked, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	return ranked
}
