package source

import (
	"fmt"
	"strings"
)

// resolvePlain returns the kind of an unquoted scalar by the core schema of YAML 1.2
// (chapter 10.3), except that a scalar which YAML 1.1 and 1.2 read differently is a
// String; see [Node.Ambiguous].
func resolvePlain(s string) Kind {
	if s == "" {
		return Null
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		return resolveNumber(s)
	case strings.IndexByte("~nNtTfF", c) >= 0:
		return resolveWord(s)
	}
	return String
}

func resolveWord(s string) Kind {
	switch s {
	case "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	return String
}

// resolveNumber returns the kind of a scalar that matches
// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, and String for anything else,
// including integers with a leading zero.
func resolveNumber(s string) Kind {
	rest := unsigned(s)
	whole := digits(rest)
	rest = rest[len(whole):]
	kind, fraction := Int, ""
	if strings.HasPrefix(rest, ".") {
		kind, fraction = Float, digits(rest[1:])
		rest = rest[1+len(fraction):]
	}
	if whole == "" && fraction == "" {
		return String
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := digits(unsigned(rest[1:]))
		if exponent == "" {
			return String
		}
		kind, rest = Float, strings.TrimPrefix(unsigned(rest[1:]), exponent)
	}
	if rest != "" || kind == Int && len(whole) > 1 && whole[0] == '0' {
		return String
	}
	return kind
}

// unsigned returns s without one leading sign.
func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// digits returns the decimal digits that s starts with.
func digits(s string) string {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i]
}

// leading returns the longest prefix of s that consists of the given characters.
func leading(s, chars string) string {
	return s[:len(s)-len(strings.TrimLeft(s, chars))]
}

// Ambiguous returns how YAML versions disagree about an unquoted scalar, such as `"yes"
// is a boolean in YAML 1.1`, or "" if they agree. Such a scalar is a [String] with its
// text as written. [Decode] never accepts it: the user must quote it or write it
// differently.
func (n *Node) Ambiguous() string {
	if n.Kind != String || n.Style != Plain {
		return ""
	}
	what := ambiguity(n.Text)
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%q is %s", n.Text, what)
}

// IsString reports whether all versions of YAML read an unquoted scalar as a string, if its
// characters have no meaning in the syntax.
func IsString(scalar string) bool { return resolvePlain(scalar) == String && ambiguity(scalar) == "" }

// ambiguity returns the other meaning of a plain scalar that is a string here, or "" if
// there is none.
func ambiguity(s string) string {
	if s == "" {
		return ""
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		return ambiguousNumber(s)
	case len(s) <= len("yes") && strings.IndexByte("yYnNoO", c) >= 0 && boolean11(s):
		return "a boolean in YAML 1.1"
	}
	return ""
}

// boolean11 reports whether YAML 1.1 (yaml.org/type/bool.html) reads s as a boolean and
// YAML 1.2 as a string, ignoring case.
func boolean11(s string) bool {
	switch strings.ToLower(s) {
	case "y", "yes", "on", "n", "no", "off":
		return true
	}
	return false
}

// inNumbers contains true for the characters of numbers that are not decimal, and of dates.
var inNumbers = byteSet(":-_")

// byteSet returns a table that contains true for the bytes of a string.
func byteSet(bytes string) (set [256]bool) {
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}

// hasAny reports whether s contains a byte of a set. Strings are short, and for them it is several times
// faster than strings.ContainsAny.
func hasAny(s string, set *[256]bool) bool {
	for i := range len(s) {
		if set[s[i]] {
			return true
		}
	}
	return false
}

// ambiguousNumber returns the other meaning of a scalar that starts like a number, or
// "" if there is none (yaml.org/type/{int,float,timestamp}.html).
func ambiguousNumber(s string) string {
	body := unsigned(s)
	if body != "" && body[0] >= '1' && body[0] <= '9' && !hasAny(body, &inNumbers) { // such as 16Gi
		return ""
	}
	switch {
	case special(s):
		return "not a finite number"
	case prefixed(body, "0x", "0123456789abcdefABCDEF_"):
		return "a hexadecimal number"
	case prefixed(body, "0o", "01234567_"), prefixed(body, "0b", "01_"):
		return "an octal or binary number to some readers of YAML"
	case sexagesimal(body):
		return "a base 60 number in YAML 1.1"
	case timestamp(s):
		return "a date in YAML 1.1"
	case strings.Contains(body, "_") && resolveNumber("1"+strings.ReplaceAll(body, "_", "")) != String && body[0] != '_':
		return "a number with underscores in YAML 1.1"
	case len(body) > 1 && body[0] == '0' && digits(body) == body:
		return "a number with a leading zero, octal in YAML 1.1"
	}
	return ""
}

func special(s string) bool {
	switch strings.ToLower(unsigned(s)) {
	case ".inf":
		return true
	case ".nan":
		return s[0] == '.'
	}
	return false
}

func prefixed(s, prefix, chars string) bool {
	if len(s) <= len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return false
	}
	rest := s[len(prefix):]
	return leading(rest, chars) == rest
}

// sexagesimal reports whether s matches [1-9][0-9_]*(:[0-5]?[0-9])+ or, with a
// fraction, [0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*. A MAC address matches only if all its
// octets are decimal, under 60, and the first does not start with 0: 52:54:00:12:34:56
// matches, 02:00:00:00:00:01 does not.
func sexagesimal(s string) bool {
	first := leading(s, "0123456789_")
	rest := s[len(first):]
	if first == "" || first[0] == '_' || rest == "" || rest[0] != ':' {
		return false
	}
	for strings.HasPrefix(rest, ":") {
		group := digits(rest[1:])
		if len(group) == 0 || len(group) > 2 || len(group) == 2 && group[0] > '5' {
			return false
		}
		rest = rest[1+len(group):]
	}
	if rest == "" {
		return first[0] != '0'
	}
	return rest[0] == '.' && leading(rest[1:], "0123456789_") == rest[1:]
}

// timestamp reports whether s is a date, or a date followed by a time.
func timestamp(s string) bool {
	year := digits(s)
	if len(year) != 4 || len(s) < len("2006-1-2") {
		return false
	}
	rest, ok := dashed(s[4:])
	if !ok {
		return false
	}
	if rest, ok = dashed(rest); !ok {
		return false
	}
	if rest == "" {
		return true
	}
	clock := strings.TrimLeft(rest[1:], " \t")
	return strings.IndexByte("Tt \t", rest[0]) >= 0 && digits(clock) != "" && strings.Contains(clock, ":")
}

// dashed removes a dash and one or two digits from the start of s.
func dashed(s string) (rest string, ok bool) {
	if s == "" || s[0] != '-' {
		return s, false
	}
	d := digits(s[1:])
	return s[1+len(d):], len(d) == 1 || len(d) == 2
}
