package diff

import "strings"

// Pattern is the pattern of a path: fields separated by dots, `*` for one field of any
// name, "[*]" for an entry of a list, "[]" for the order of a list, and `**` at the end
// for a field and all below it, which together are one cause. A field whose name has
// dots is in quotes.
type Pattern []string

// ParsePattern reads a pattern such as "spec.template.spec.volumes[*].**".
func ParsePattern(s string) Pattern {
	var out Pattern
	for s != "" {
		var segment string
		switch {
		case s == Created || s == Removed:
			segment, s = s, ""
		case s[0] == '[':
			end := strings.IndexByte(s, ']') + 1
			segment, s = s[:end], s[end:]
		case s[0] == '"':
			segment, s, _ = strings.Cut(s[1:], `"`)
		default:
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			segment, s = s[:end], s[end:]
		}
		s = strings.TrimPrefix(s, ".")
		out = append(out, segment)
	}
	return out
}

// Match returns the number of segments of a path that the pattern stands for; those
// after them are below it. It is 0 if the pattern does not match.
func (p Pattern) Match(path []string) int {
	for i, segment := range p {
		if segment == "**" {
			return i
		}
		if i >= len(path) || !matches(segment, path[i]) {
			return 0
		}
	}
	if len(path) != len(p) {
		return 0
	}
	return len(path)
}

func matches(segment, field string) bool {
	switch segment {
	case "*":
		return true
	case "[*]":
		return strings.HasPrefix(field, "[") && field != Order
	}
	return segment == field
}
