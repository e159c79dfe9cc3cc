package versions

import (
	"slices"
	"strconv"
	"strings"
)

// Version is a version such as 1.6.5: its numbers, of which the last is 0 if it is missing.
type Version [3]int

// unknown is the first number of a text that is not a version.
const unknown = 1 << 30

// Parse reads a version such as "1.6", "v1.6.5" or "1.6.5-rc.0", of which it ignores what follows the numbers.
// Anything else, such as an empty text, is newer than any version, and not known.
func Parse(text string) Version {
	text = strings.TrimPrefix(text, "v")
	if end := strings.IndexAny(text, "-+"); end >= 0 {
		text = text[:end]
	}
	major, rest, _ := strings.Cut(text, ".")
	minor, patch, hasPatch := strings.Cut(rest, ".")
	var v Version
	for i, part := range [...]string{major, minor, patch} {
		if i == 2 && !hasPatch {
			break
		}
		n, err := strconv.ParseUint(part, 10, 30)
		if err != nil && i < 2 {
			return Version{unknown}
		}
		v[i] = int(n)
	}
	return v
}

// IsKnown reports whether the text was a version.
func (v Version) IsKnown() bool { return v[0] != unknown }

// Before reports whether a version is older than another.
func (v Version) Before(other Version) bool { return slices.Compare(v[:], other[:]) < 0 }

// Minor returns the version without its last number.
func (v Version) Minor() Version { return Version{v[0], v[1]} }

// Before reports whether a version such as "1.6" or "v1.6.2" is older than another. An empty or broken version is the
// newest.
func Before(version, than string) bool { return Parse(version).Before(Parse(than)) }
