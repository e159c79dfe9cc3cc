package patch

import (
	"errors"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// copyLimit is how many bytes of JSON the copies of one document may add, so that
// copies of copies do not grow indefinitely. etcd stores no object of that size
// (DefaultMaxRequestBytes, server/embed/config.go, v3.5: 1.5 MiB).
const copyLimit = 1 << 20

// Document is a tree that operations are applied to.
type Document struct {
	// Tree is the current document. Operations do not change its nodes: each creates a
	// new tree, which shares the unchanged ones.
	Tree *source.Node

	copied int // bytes of JSON that copies have added
}

// operations are those of RFC 6902, section 4.
var operations = map[string]struct {
	takesFrom, takesValue bool
	apply                 func(*Document, *Operation) (*source.Node, error)
}{
	"add":     {apply: (*Document).add, takesValue: true},
	"remove":  {apply: (*Document).remove},
	"replace": {apply: (*Document).replace, takesValue: true},
	"move":    {apply: (*Document).move, takesFrom: true},
	"copy":    {apply: (*Document).copy, takesFrom: true},
	"test":    {apply: (*Document).test, takesValue: true},
}

// Apply applies an operation. If that is impossible, it returns an [Error] and does not
// change the document. Values keep the position where they were written.
func (d *Document) Apply(o *Operation) error {
	if err := o.Check(); err != nil {
		return err
	}
	tree, err := operations[o.Op].apply(d, o)
	if err != nil {
		return &Error{o, err.Error()}
	}
	d.Tree = tree
	return nil
}

func (d *Document) add(o *Operation) (*source.Node, error) { return add(d.Tree, o.Path, o.Value) }

func (d *Document) remove(o *Operation) (*source.Node, error) { return remove(d.Tree, o.Path) }

func (d *Document) replace(o *Operation) (*source.Node, error) {
	way, _, err := walk(d.Tree, o.Path)
	if err != nil {
		return nil, err
	}
	return rebuild(way, o.Value), nil
}

func (d *Document) move(o *Operation) (*source.Node, error) {
	_, value, err := walk(d.Tree, o.From)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(o.Path, o.From+"/") {
		return nil, errors.New("a value cannot be moved into itself; expected a path outside of `from`")
	}
	rest, err := remove(d.Tree, o.From)
	if err != nil {
		return nil, err
	}
	return add(rest, o.Path, value)
}

func (d *Document) copy(o *Operation) (*source.Node, error) {
	_, value, err := walk(d.Tree, o.From)
	if err != nil {
		return nil, err
	}
	if d.copied += size(value, copyLimit-d.copied); d.copied > copyLimit {
		return nil, errors.New("the copies are too large; expected at most 1 MiB in all")
	}
	return add(d.Tree, o.Path, value)
}

func (d *Document) test(o *Operation) (*source.Node, error) {
	_, value, err := walk(d.Tree, o.Path)
	if err == nil && !value.Equal(o.Value) {
		err = errors.New("the value is different")
	}
	return d.Tree, err
}

// add returns the tree with a value at path, which must be in a map or list.
func add(tree *source.Node, path string, value *source.Node) (*source.Node, error) {
	if path == "" {
		return value, nil
	}
	cut := strings.LastIndexByte(path, '/')
	way, parent, err := walk(tree, path[:cut])
	if err != nil {
		return nil, err
	}
	switch key := unescape.Replace(path[cut+1:]); parent.Kind {
	case source.Map:
		parent = set(parent, key, value)
	case source.List:
		parent, err = insert(parent, key, value)
	default:
		err = missing(path, len(way))
	}
	if err != nil {
		return nil, err
	}
	return rebuild(way, parent), nil
}

// remove returns the tree without the value at path, which must exist.
func remove(tree *source.Node, path string) (*source.Node, error) {
	way, _, err := walk(tree, path)
	if err != nil {
		return nil, err
	}
	if len(way) == 0 {
		return nil, errors.New("the whole object cannot be removed; expected a path such as \"/metadata/labels/team\"")
	}
	last := len(way) - 1
	return rebuild(way[:last], without(way[last].in, way[last].at)), nil
}

// size returns the approximate length of the JSON of a tree, in bytes. It stops when
// that exceeds most: nodes that a tree shares can make its JSON larger than memory.
func size(n *source.Node, most int) int {
	total := len(n.Text) + len(`"",`)
	for _, f := range n.Fields {
		if total > most {
			return total
		}
		total += len(f.Key) + len(`"":`) + size(f.Value, most-total)
	}
	for _, item := range n.Items {
		if total > most {
			return total
		}
		total += size(item, most-total)
	}
	return total
}
