package render

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// treeOf turns rendered JSON into a tree that stands at one place as a whole.
// The order of its keys is not defined.
func treeOf(text []byte, pos source.Pos) (*source.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	at := source.Node{Line: int32(pos.Line), Col: int32(pos.Col), File: &source.File{Name: pos.File}}
	return nodeOf(v, &at), nil
}

// nodeOf makes the node of a value; at is what every node starts as.
func nodeOf(value any, at *source.Node) *source.Node {
	n := *at
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
