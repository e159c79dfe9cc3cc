package fleet

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// decodeShort decodes an item of a list whose short form is one scalar: the
// value of the key named.
func decodeShort(n *source.Node, key string, into any, path string, diags *source.Diagnostics) {
	if isScalar(n) {
		n = scalarAs(key)(n)
	}
	source.DecodeFields(n, into, path, diags)
}

// DecodeNode takes a network's name for a NIC.
func (n *NIC) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	decodeShort(at, "network", n, path, diags)
}

// DecodeNode takes a feature's name for the feature.
func (f *CPUFeature) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	decodeShort(at, "name", f, path, diags)
}

// DecodeNode takes a number for a port.
func (p *Port) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	decodeShort(at, "port", p, path, diags)
}

// DecodeNode takes a device's name for the device.
func (d *Device) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	decodeShort(at, "device", d, path, diags)
}

// DecodeNode takes a string for a command of the shell, and a list for one that is executed.
func (c *Command) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	switch at.Kind {
	case source.List:
		source.Decode(at, &c.Args, path, diags)
		return
	case source.Map:
		diags.Errorf(at.Pos(), "wrong-type", path, "wrong type: got a map, expected a string, or a list of strings")
		return
	}
	source.Decode(at, &c.Shell, path, diags)
}

// DecodeNode takes a number or a percentage.
func (v *IntOrPercent) DecodeNode(at *source.Node, path string, diags *source.Diagnostics) {
	text, percent := strings.CutSuffix(at.Text, "%")
	n, err := strconv.Atoi(text)
	if !isScalar(at) || err != nil || n < 1 || percent && n > 100 {
		diags.Errorf(at.Pos(), "wrong-type", path, "invalid value %q; expected a number from 1, or a percentage up to \"100%%\"", at.Text)
		return
	}
	v.Int, v.Percent = n, percent
}
