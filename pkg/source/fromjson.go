package source

import (
	"bytes"
	"encoding/json"
	"strings"
)

// FromJSON returns the tree of a JSON value that a program has written, such as a
// rendered object. All its keys and values have the position of at. The order of the
// keys of a map is undefined.
func FromJSON(text []byte, at *Node) (*Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return nodeOf(v, at), nil
}

// At returns a null at pos, for [FromJSON] and [Reposition].
func At(pos Pos) *Node {
	return &Node{Line: int32(pos.Line), Col: int32(pos.Col), File: &File{Name: pos.File}}
}

// nodeOf converts a value that encoding/json has decoded.
func nodeOf(value any, at *Node) *Node {
	n := Node{Line: at.Line, Col: at.Col, File: at.File}
	switch v := value.(type) {
	case map[string]any:
		n.Kind, n.Fields = Map, make([]Field, 0, len(v))
		for key, value := range v {
			n.Fields = append(n.Fields, Field{Key: key, Line: at.Line, Col: at.Col, Value: nodeOf(value, at)})
		}
	case []any:
		n.Kind, n.Items = List, make([]*Node, len(v))
		for i, item := range v {
			n.Items[i] = nodeOf(item, at)
		}
	case string:
		n.Kind, n.Style, n.Text = String, DoubleQuoted, v
	case json.Number:
		n.Kind, n.Text = Int, v.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = Float
		}
	case bool:
		n.Kind, n.Text = Bool, "false"
		if v {
			n.Text = "true"
		}
	}
	return &n
}
