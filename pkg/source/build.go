package source

// EmptyMap returns an empty map with the position and level of at.
func EmptyMap(at *Node) *Node {
	return &Node{Kind: Map, Level: at.Level, Line: at.Line, Col: at.Col, File: at.File}
}

// NewNull returns a null with the position and level of at.
func NewNull(at *Node) *Node {
	return &Node{Kind: Null, Level: at.Level, Line: at.Line, Col: at.Col, File: at.File}
}

// Add adds an entry to a map that is being built. Its key has the position of the map.
func (n *Node) Add(key string, value *Node) {
	n.Fields = append(n.Fields, Field{Key: key, Line: n.Line, Col: n.Col, Value: value})
}

// noteKey sets Plus of a map for one of its entries.
func (n *Node) noteKey(f *Field) {
	if f.Value.Plus || f.Key != "" && f.Key[len(f.Key)-1] == '+' {
		n.Plus = true
	}
}

// WithFields returns a copy of a map whose entries can be changed, with capacity for
// two more.
func (n *Node) WithFields() *Node {
	out := *n
	out.Fields = append(make([]Field, 0, len(n.Fields)+2), n.Fields...)
	return &out
}

// MapValues returns a map with what value returns for each of its entries: the map itself if no value is another node.
func (n *Node) MapValues(value func(key string, value *Node) *Node) *Node {
	out := n
	for i := range n.Fields {
		f := &n.Fields[i]
		v := value(f.Key, f.Value)
		if v == f.Value {
			continue
		}
		if out == n {
			out = n.WithFields()
		}
		out.Fields[i].Value = v
	}
	return out
}

// Mark returns a copy of a tree in which every value has the given level.
func Mark(n *Node, level uint16) *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Level = level
	c.Short = Mark(n.Short, level)
	if n.Fields != nil {
		c.Fields = make([]Field, len(n.Fields))
	}
	for i, f := range n.Fields {
		f.Value = Mark(f.Value, level)
		c.Fields[i] = f
	}
	if n.Items != nil {
		c.Items = make([]*Node, len(n.Items))
	}
	for i, item := range n.Items {
		c.Items[i] = Mark(item, level)
	}
	return &c
}

// At returns a null at pos, a place for what is built or moved there.
func At(pos Pos) *Node {
	return &Node{Line: int32(pos.Line), Col: int32(pos.Col), File: &File{Name: pos.File}}
}
