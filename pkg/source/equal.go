package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Equal reports whether two values are the same JSON, as RFC 6902 defines it in section 4.6: the order of keys does not
// count, and numbers are compared by value, so that 1 and 1.0 are equal. How and where the values are written does not
// count either. A missing value (nil) is equal only to another one, and not to null.
func (n *Node) Equal(other *Node) bool {
	switch {
	case n == other:
		return true
	case n == nil || other == nil:
		return false
	case n.isNumber() && other.isNumber():
		return n.Text == other.Text || decimalOf(n.Text) == decimalOf(other.Text)
	case n.Kind != other.Kind || len(n.Fields) != len(other.Fields):
		return false
	case n.Kind == Bool:
		return strings.EqualFold(n.Text, other.Text) // also YAML's True
	case n.Kind == String:
		return n.Text == other.Text
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if of := other.Likely(f.Key, i); of == nil || !f.Value.Equal(of) {
			return false
		}
	}
	return slices.EqualFunc(n.Items, other.Items, (*Node).Equal)
}

// Likely returns the value of a key that is probably entry i of a map, or nil if there is none. With it, comparing
// large maps takes linear time.
func (n *Node) Likely(key string, i int) *Node {
	if i < len(n.Fields) && n.Fields[i].Key == key {
		return n.Fields[i].Value
	}
	return n.Get(key)
}

// Without returns a map without some of its keys. The map is not changed.
func (n *Node) Without(keys ...string) *Node {
	gone := func(f Field) bool { return slices.Contains(keys, f.Key) }
	if n == nil || !slices.ContainsFunc(n.Fields, gone) {
		return n
	}
	out := *n
	out.Fields = slices.DeleteFunc(slices.Clone(n.Fields), gone)
	return &out
}

func (n *Node) isNumber() bool { return n.Kind == Int || n.Kind == Float }

// decimal is the normal form of a number: digits without zeros at either end, times a
// power of ten. Computing it takes no longer for a large exponent.
type decimal struct {
	negative bool
	digits   string
	exponent string // as written if it is too large to count with
}

func decimalOf(text string) decimal {
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimLeft(text, "+-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}
	}
	d := decimal{text[0] == '-', trimmed, power}
	if exponent, err := strconv.Atoi(cmp.Or(power, "0")); err == nil {
		d.exponent = strconv.Itoa(exponent - len(fraction) + len(digits) - len(trimmed))
	}
	return d
}
