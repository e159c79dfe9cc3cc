package values

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Items of lists do not merge across levels. Their short forms are expanded
// when they are decoded.

// decodeItem decodes an item of a list, or the scalar that is its short form.
func decodeItem[T any](n *source.Node, into *T, path source.Path, diags *source.Diagnostics) {
	form := Forms[reflect.TypeFor[T]()]
	source.DecodeFields(form.long(n), into, path, diags)
}

// DecodeNode accepts the name of a network for a NIC.
func (n *NIC) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	decodeItem(at, n, path, diags)
}

// DecodeNode accepts the name of a feature for the feature.
func (f *CPUFeature) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	decodeItem(at, f, path, diags)
}

// DecodeNode accepts a number for a port.
func (p *Port) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	decodeItem(at, p, path, diags)
}

// DecodeNode accepts a number for a port.
func (p *ServicePort) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	decodeItem(at, p, path, diags)
}

// DecodeNode accepts the name of a device for the device.
func (d *Device) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	decodeItem(at, d, path, diags)
}

// DecodeNode accepts a number, or a quantity with its unit.
func (a *Amount) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	q, err := quantities.Parse(at.Text)
	if !at.IsScalar() || at.Kind == source.Bool || err != nil || q.Sign() < 0 {
		diags.Errorf(at.Pos(), rule.BadQuantity, path.String(),
			"%s; expected a number with or without a unit, such as 500m, 4 or 16Gi", catalog.InvalidQuantity(at.Text))
		return
	}
	*a = Amount(at.Text)
}

// DecodeNode accepts a string for a shell command, and a list for a command
// without a shell.
func (c *Command) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	switch at.Kind {
	case source.List:
		source.DecodeFields(at, &c.Args, path, diags)
		return
	case source.Map:
		diags.Errorf(at.Pos(), rule.WrongType, path.String(),
			"wrong type: got a map, expected a string, or a list of strings")
		return
	}
	source.DecodeFields(at, &c.Shell, path, diags)
}

// DecodeNode accepts a number or a percentage.
func (v *IntOrPercent) DecodeNode(at *source.Node, path source.Path, diags *source.Diagnostics) {
	text, percent := strings.CutSuffix(at.Text, "%")
	n, err := strconv.Atoi(text)
	if at.Kind == source.String && !percent && err == nil && n > 0 {
		diags.Errorf(at.Pos(), rule.WrongType, path.String(),
			"%q is a number in quotes; write %d for a number of VMs, or \"%d%%\" for a part of them", at.Text, n, n)
		return
	}
	if !at.IsScalar() || err != nil || n < 1 || percent && n > 100 {
		got := ""
		if source.BeginsNumber(at.Text) {
			got = " " + strconv.Quote(at.Text)
		}
		diags.Errorf(at.Pos(), rule.WrongType, path.String(),
			"invalid value%s; expected a number from 1, or a percentage up to \"100%%\"", got)
		return
	}
	v.Int, v.Percent = n, percent
}
