// Package source parses YAML into trees in which every key and every value has its
// file, line and column, merges such trees, and decodes them into Go values. It reports
// every problem as a [Diagnostic] with its position.
//
// The package handles YAML only: nothing in it depends on VMs or Kubernetes.
package source

import "cmp"

// Kind is the type of a [Node]'s value.
type Kind uint8

// The kinds of values that a document can contain, after scalar resolution.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Map
	List
	// Unread is the value of an entry that [ParseEntries] has left as text, which [Node.Read] reads.
	Unread
)

// Style is how a scalar was written.
type Style uint8

// The styles of scalars, and of maps that replace one.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
	// Appended marks a list that [Compose] appends to the list below it.
	Appended
	// ShortForm marks a map that a program has created from a scalar, which is the
	// value of its first entry: diagnostics leave that entry's key out of paths.
	ShortForm
	// wide marks an [Unread] node in a file that contains more than printable ASCII.
	wide
)

// File is an input file: its name in diagnostics, and its text.
type File struct {
	Name string
	Data []byte
}

// Pos is a position in a file. Line and Col count from 1; Col counts characters. A Line
// of 0 means the file as a whole.
type Pos struct {
	File string
	Line int
	Col  int
}

// Compare orders positions by file, line and column. It returns -1, 0 or 1.
func (p Pos) Compare(other Pos) int {
	return cmp.Or(cmp.Compare(p.File, other.File), cmp.Compare(p.Line, other.Line), cmp.Compare(p.Col, other.Col))
}

// Node is one value of a document. Nodes are shared between trees (see [Merge])
// and must not be changed once they are built.
type Node struct {
	Kind  Kind
	Style Style
	// Level is the level of inheritance that sets the value; see [Mark]. It is 0 if the
	// tree is not marked.
	Level     uint16
	Line, Col int32
	// Plus is true for a map, as parsed, if one of its keys ends in "+", or one in a map below that is in no list. It
	// takes no memory: structs are padded here.
	Plus   bool
	File   *File
	Text   string  // scalars: the string's content, or the number or bool as written
	Fields []Field // maps, in the order written
	Items  []*Node // lists
	// Short is the scalar that a map is the long form of, if no key of the map has the
	// same meaning: `tpm: true`. A Null means that the scalar is removed. It decodes
	// into the struct field tagged `source:"short"`.
	Short *Node
}

// Field is one entry of a map, with the position of its key. The key is in the same
// file as its value.
type Field struct {
	Key       string
	Line, Col int32
	Value     *Node
}

// Pos returns the position of the value.
func (n *Node) Pos() Pos { return pos(n.File, n.Line, n.Col) }

// Pos returns the position of the key.
func (f *Field) Pos() Pos { return pos(f.Value.File, f.Line, f.Col) }

func pos(f *File, line, col int32) Pos {
	p := Pos{Line: int(line), Col: int(col)}
	if f != nil {
		p.File = f.Name
	}
	return p
}

// IsSet reports whether there is a value other than null.
func (n *Node) IsSet() bool { return n != nil && n.Kind != Null }

// IsScalar reports whether there is a boolean, a number or a string.
func (n *Node) IsScalar() bool { return n.IsSet() && n.Kind != Map && n.Kind != List }

// Str returns the content of a string, or "" for anything else.
func (n *Node) Str() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// Entries returns the entries of a map, or nil for anything else.
func (n *Node) Entries() []Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// Field returns the entry of a map with the given key, or nil if there is none.
func (n *Node) Field(key string) *Field {
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			return &n.Fields[i]
		}
	}
	return nil
}

// Get returns the value under a path of map keys, or nil if there is none.
func (n *Node) Get(path ...string) *Node {
	for _, key := range path {
		f := n.Field(key)
		if f == nil {
			return nil
		}
		n = f.Value
	}
	return n
}
