package source

// largeFile is the size in bytes from which [ParseEntries] leaves entries as text. Smaller files are read once.
const largeFile = 1 << 20

// ParseEntries is like [Parse] for a file whose documents have many entries under a key. It leaves those of a large
// file as text, so that their trees, which take ten times the memory of the text, do not exist all at the same time.
// The values of these entries are [Unread]. All of the file is checked as by Parse.
func ParseEntries(file *File, key string, diags *Diagnostics) []*Node {
	if len(file.Data) < largeFile {
		key = ""
	}
	return parseApart(file, key, diags)
}

// Read returns the value that an [Unread] node stands for, and any other node as it is.
func (n *Node) Read() *Node {
	if n.Kind != Unread {
		return n
	}
	s := scanner{file: n.File, text: n.Text, wide: n.Style == wide}
	s.begin(n.Line)
	s.next()
	return s.block().Fields[0].Value
}

// entries reads a block map like block, and leaves the values of its entries as text. Their trees share one memory.
func (s *scanner) entries() *Node {
	s.depth--
	defer func() { s.depth++ }()
	indent, n, base := s.indent, s.node(Map), len(s.open)
	nodes, fields, items := s.nodes, s.fields, s.items
	s.nodes, s.fields, s.items = slab[Node]{}, slab[Field]{}, slab[*Node]{}
	var unread slab[Node]
	style := Plain
	if s.wide {
		style = wide
	}
	for s.indent == indent {
		begin := s.start
		f := Field{Line: s.line, Col: s.column(s.pos)}
		if f.Key = s.key(); s.failed {
			return nil
		}
		value := s.entry(indent, true)
		if s.failed {
			return nil
		}
		f.Value = &unread.take(1, s.chunk)[0]
		*f.Value = Node{
			Kind: Unread, Style: style, Line: f.Line, Col: f.Col, File: s.file, Text: s.text[begin:s.lineStart()],
			Plus: value.Plus,
		}
		n.noteKey(&f)
		s.push(f)
		s.nodes.reuse()
		s.fields.reuse()
		s.items.reuse()
	}
	if s.indent > indent {
		return s.fail()
	}
	s.nodes, s.fields, s.items = nodes, fields, items
	n.Fields = s.takeFields(base)
	return n
}

// lineStart returns the offset of the line at pos, or the end of the text.
func (s *scanner) lineStart() int {
	if s.indent < 0 && !s.marker {
		return len(s.text)
	}
	return s.start
}
