package values

import (
	"strconv"
	"strings"
)

// ParseVersion returns the first two numbers of a version such as "1.6" or "v3.2.1".
func ParseVersion(s string) (major, minor int, ok bool) {
	a, rest, found := strings.Cut(strings.TrimPrefix(s, "v"), ".")
	if !found {
		return 0, 0, false
	}
	b, _, _ := strings.Cut(rest, ".")
	major, errA := strconv.Atoi(a)
	minor, errB := strconv.Atoi(b)
	return major, minor, errA == nil && errB == nil
}

// Before reports whether version s is older than major.minor. An empty version
// is the newest.
func Before(s string, major, minor int) bool {
	a, b, ok := ParseVersion(s)
	return ok && (a < major || a == major && b < minor)
}
