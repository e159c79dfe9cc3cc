package render

import (
	"bytes"
	"encoding/json"

	"github.com/vmrender/vmrender/pkg/source"
)

// jsonTree reads rendered JSON into a tree that stands at one place as a whole.
type jsonTree struct {
	*json.Decoder
	at source.Node // what every node of the tree starts as
}

// treeOf reads JSON that was written by a machine: it has no mistakes that a
// user could mend.
func treeOf(text []byte, pos source.Pos) (*source.Node, error) {
	t := jsonTree{Decoder: json.NewDecoder(bytes.NewReader(text))}
	t.UseNumber()
	t.at = source.Node{Line: int32(pos.Line), Col: int32(pos.Col), File: &source.File{Name: pos.File}}
	return t.value()
}

func (t *jsonTree) value() (*source.Node, error) {
	token, err := t.Token()
	if err != nil {
		return nil, err
	}
	n := t.at
	switch v := token.(type) {
	case json.Delim:
		return &n, t.collection(&n, v)
	case string:
		n.Kind, n.Style, n.Text = source.String, source.DoubleQuoted, v
	case json.Number:
		n.Kind, n.Text = source.Float, v.String()
		if _, err := v.Int64(); err == nil {
			n.Kind = source.Int
		}
	case bool:
		n.Kind, n.Text = source.Bool, "false"
		if v {
			n.Text = "true"
		}
	}
	return &n, nil
}

// collection reads a map or list whose bracket was read.
func (t *jsonTree) collection(n *source.Node, bracket json.Delim) error {
	n.Kind = source.List
	if bracket == '{' {
		n.Kind = source.Map
	}
	for t.More() {
		f := source.Field{Line: t.at.Line, Col: t.at.Col}
		if n.Kind == source.Map {
			key, err := t.Token()
			if err != nil {
				return err
			}
			f.Key, _ = key.(string)
		}
		var err error
		if f.Value, err = t.value(); err != nil {
			return err
		}
		if n.Kind == source.Map {
			n.Fields = append(n.Fields, f)
		} else {
			n.Items = append(n.Items, f.Value)
		}
	}
	_, err := t.Token() // the closing bracket
	return err
}
