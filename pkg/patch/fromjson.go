package patch

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// FromJSON returns the tree of a JSON value that a program has written, such as a
// rendered object, with the keys of maps in its order. All keys and values have the
// position of at.
func FromJSON(text []byte, at *source.Node) (*source.Node, error) {
	d := reader{json.NewDecoder(bytes.NewReader(text)), at}
	d.UseNumber()
	return d.value()
}

// reader reads JSON as it comes, so that maps keep the order of their keys.
type reader struct {
	*json.Decoder
	at *source.Node
}

func (r *reader) value() (*source.Node, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	n := &source.Node{Line: r.at.Line, Col: r.at.Col, File: r.at.File}
	switch v := token.(type) {
	case json.Delim:
		err = r.collection(n, v)
	case string:
		n.Kind, n.Style, n.Text = source.String, source.DoubleQuoted, v
	case json.Number:
		n.Kind, n.Text = source.Int, v.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = source.Float
		}
	case bool:
		n.Kind, n.Text = source.Bool, strconv.FormatBool(v)
	}
	return n, err
}

// collection reads a map or a list, whose first token has been read.
func (r *reader) collection(n *source.Node, open json.Delim) error {
	n.Kind = source.List
	if open == '{' {
		n.Kind = source.Map
	}
	for r.More() {
		if open == '[' {
			item, err := r.value()
			if err != nil {
				return err
			}
			n.Items = append(n.Items, item)
			continue
		}
		key, err := r.value()
		if err != nil {
			return err
		}
		value, err := r.value()
		if err != nil {
			return err
		}
		n.Fields = append(n.Fields, source.Field{Key: key.Text, Line: r.at.Line, Col: r.at.Col, Value: value})
	}
	_, err := r.Token()
	return err
}
