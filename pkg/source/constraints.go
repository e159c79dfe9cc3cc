package source

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
)

// constraints are the limits that the tags of a struct field set in addition to its
// type: `enum:"a,b"`, `minimum:"1"`, `maximum:"65535"`, `format:"quantity"` and `names:"networks"`.
type constraints struct {
	enum          []string
	least, most   int64
	bounded       bool // least and most apply
	unboundedUp   bool // most does not apply
	textual       bool // a string that may be written as a number without quotes: a quantity, or a network
	hasConstraint bool
}

func constraintsOf(tag reflect.StructTag) constraints {
	if tag == "" {
		return constraints{}
	}
	c := constraints{textual: tag.Get("format") == "quantity" || tag.Get("names") == "networks"}
	if enum := tag.Get("enum"); enum != "" {
		c.enum = strings.Split(enum, ",")
	}
	least, errLeast := strconv.ParseInt(tag.Get("minimum"), 10, 64)
	most, errMost := strconv.ParseInt(tag.Get("maximum"), 10, 64)
	c.bounded = errLeast == nil || errMost == nil
	c.least, c.most, c.unboundedUp = least, most, errMost != nil
	c.hasConstraint = c.enum != nil || c.bounded || c.textual
	return c
}

// check adds an error if a scalar violates the constraints, and reports whether it did.
// Other kinds are reported as wrong types elsewhere.
func (c *constraints) check(d *decoder, n *Node) bool {
	switch {
	case d.secret:
		return false // only free text is secret
	case c.enum != nil && n.Kind >= Bool && n.Kind <= String && !slices.Contains(c.enum, n.Text):
		d.errorf(n, rule.UnknownValue, "%s",
			suggest.Later(fmt.Sprintf("unknown value %q", n.Text), n.Text, len(c.enum), func() []string { return c.enum }))
		return true
	case n.Kind == Int && c.bounded:
		i, err := strconv.ParseInt(n.Text, 10, 64)
		if err == nil && (i < c.least || !c.unboundedUp && i > c.most) {
			d.errorf(n, rule.OutOfRange, "%s is out of range; %s", n.Text, c.accepted())
			return true
		}
	}
	return false
}

func (c *constraints) accepted() string {
	if c.unboundedUp {
		return fmt.Sprintf("expected at least %d", c.least)
	}
	return fmt.Sprintf("accepted: %d to %d", c.least, c.most)
}

// asText returns a number as the string of its digits if the value may be written so, and
// any other value as it is.
func (c *constraints) asText(n *Node) *Node {
	if !c.textual || n.Kind != Int && n.Kind != Float {
		return n
	}
	text := *n
	text.Kind, text.Style = String, DoubleQuoted
	return &text
}

// checkRequired reports the keys tagged `required:"true"` that a map lacks.
func (d *decoder) checkRequired(p *plan, n *Node) {
	for i := range p.fields {
		f := &p.fields[i]
		if v := n.Get(f.name); f.needed && (v == nil || v.Kind == Null) {
			at := n.Pos()
			if d.key != nil && d.key.Value == n {
				at = d.key.Pos()
			}
			d.diags.Errorf(at, rule.MissingKey, d.trail.Under(d.root), "missing key %q", f.name)
		}
	}
}
