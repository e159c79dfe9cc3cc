package patch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// equal reports whether two values are the same JSON (RFC 6902, section 4.6): the order
// of keys does not matter, and numbers are compared by value.
func equal(a, b *source.Node) bool {
	switch {
	case isNumber(a) && isNumber(b):
		return decimalOf(a.Text) == decimalOf(b.Text)
	case a.Kind != b.Kind:
		return false
	case a.Kind == source.Bool:
		return strings.EqualFold(a.Text, b.Text) // also YAML's True
	case a.Kind == source.String:
		return a.Text == b.Text
	case a.Kind == source.List:
		return slices.EqualFunc(a.Items, b.Items, equal)
	case a.Kind == source.Map:
		return len(a.Fields) == len(b.Fields) && !slices.ContainsFunc(a.Fields, func(f source.Field) bool {
			other := b.Get(f.Key)
			return other == nil || !equal(f.Value, other)
		})
	}
	return true
}

func isNumber(n *source.Node) bool { return n.Kind == source.Int || n.Kind == source.Float }

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
