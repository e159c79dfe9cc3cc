package patch

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// FromJSON returns the tree of a JSON value that a program has written, such as a
// rendered object. All its keys and values have the position of at. The order of the
// keys of a map is undefined.
func FromJSON(text []byte, at *source.Node) (*source.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return nodeOf(v, at), nil
}

// nodeOf converts a value that encoding/json has decoded.
func nodeOf(value any, at *source.Node) *source.Node {
	n := source.Node{Line: at.Line, Col: at.Col, File: at.File}
	switch v := value.(type) {
	case map[string]any:
		n.Kind, n.Fields = source.Map, make([]source.Field, 0, len(v))
		for key, value := range v {
			n.Fields = append(n.Fields, source.Field{Key: key, Line: at.Line, Col: at.Col, Value: nodeOf(value, at)})
		}
	case []any:
		n.Kind, n.Items = source.List, make([]*source.Node, len(v))
		for i, item := range v {
			n.Items[i] = nodeOf(item, at)
		}
	case string:
		n.Kind, n.Style, n.Text = source.String, source.DoubleQuoted, v
	case json.Number:
		n.Kind, n.Text = source.Int, v.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = source.Float
		}
	case bool:
		n.Kind, n.Text = source.Bool, "false"
		if v {
			n.Text = "true"
		}
	}
	return &n
}
