package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/source"
)

// reader finds where the values of a parsed document begin and end in its text. The tree
// contains the values, so that the reader needs only how each kind of value
// continues and ends.
type reader struct {
	file     *source.File
	text     string // without a byte order mark
	problems []problem
	lost     bool // the reader no longer knows where it is
}

// place is where a value is.
type place struct {
	node       *source.Node
	after      int // offset behind the colon, dash, bracket or comma before it
	start, end int // offsets; both are after if no value is written
	parent     int // column of the key or dash that it belongs to, counted from 0; -2 for a document
	flow       bool
	block      bool   // a collection without brackets
	colon      bool   // whether there is a colon, for a key
	mark       string // anchor, alias or tag
}

// entry is one entry of a map or item of a list.
type entry struct {
	key   string
	start int // offset of the key, dash or, in flow style, item
	value place
}

// fail ends the reading with a problem at an offset.
func (r *reader) fail(at int, message string) {
	if !r.lost {
		r.refuse(at, "", message)
	}
	r.lost = true
}

// refuse records that the text at an offset cannot be edited.
func (r *reader) refuse(at int, path, message string) {
	r.problems = append(r.problems, r.problem(at, path, message))
}

// problem returns a problem at an offset.
func (r *reader) problem(at int, path, message string) problem {
	start := lineStart(r.text, at)
	where := source.Node{
		File: r.file, Line: int32(strings.Count(r.text[:start], "\n") + 1),
		Col: int32(utf8.RuneCountInString(r.text[start:at]) + 1),
	}
	return newProblem(&where, path, message)
}

// locate finds a value after an offset. The place has its node, after, parent and flow.
func (r *reader) locate(p place) place {
	p.start = r.space(p.after)
	if r.missing(p) {
		p.start, p.end = p.after, p.after
		return p
	}
	for p.start < len(r.text) && strings.IndexByte("&*!", r.text[p.start]) >= 0 {
		token := r.token(p.start)
		p.end = p.start + len(token)
		if p.mark = token; token[0] == '*' {
			return p
		}
		next := r.space(p.end)
		if bare(p.node) && r.peek(next) != '\'' && r.peek(next) != '"' {
			return p
		}
		p.start = next
	}
	c := r.peek(p.start)
	p.block = p.node != nil && p.node.Kind >= source.Map && c != '{' && c != '['
	p.end = r.end(p)
	return p
}

// bare reports whether a node can be written as nothing, or as a tag alone.
func bare(n *source.Node) bool {
	return n != nil && n.Text == "" && (n.Kind == source.Null || n.Kind == source.String)
}

// missing reports whether a null is written as nothing at all.
func (r *reader) missing(p place) bool {
	if !bare(p.node) || p.node.Kind != source.Null {
		return false
	}
	at := p.start
	sameLine := p.flow || !strings.Contains(r.text[p.after:at], "\n")
	return !sameLine || at == len(r.text) || strings.IndexByte("&*!", r.text[at]) < 0
}

// token returns the anchor, alias or tag at an offset.
func (r *reader) token(at int) string {
	rest := r.text[at:]
	if i := strings.IndexAny(rest, " \t\r\n,]}"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// end returns the offset at which the value that starts at p.start ends.
func (r *reader) end(p place) int {
	switch c := r.peek(p.start); {
	case p.node == nil:
		return r.merged(p.start)
	case p.node.Kind == source.Map || p.node.Kind == source.List:
		_, end := r.entries(p)
		return end
	case c == '"' || c == '\'':
		return r.quoted(p.start)
	case (c == '|' || c == '>') && !p.flow:
		return r.blockScalar(p)
	}
	return r.plain(p.start, p.node.Text)
}

// merged returns the end of a merge key's value that is a list of aliases.
func (r *reader) merged(at int) int {
	if i := strings.IndexByte(r.text[at:], ']'); i >= 0 && r.peek(at) == '[' {
		return at + i + 1
	}
	r.fail(at, `this merge key ("<<") is not an alias; write its keys into the map, or edit the file manually`)
	return at
}

// plain returns the end of an unquoted scalar, in which line breaks may stand for spaces.
func (r *reader) plain(at int, text string) int {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' }) {
		for strings.IndexByte(" \t\r\n", r.peek(at)) >= 0 {
			at++
		}
		if !strings.HasPrefix(r.text[at:], word) {
			r.fail(at, "the end of this value was not found; edit the file manually")
			return at
		}
		at += len(word)
	}
	return at
}

// quoted returns the end of a quoted scalar.
func (r *reader) quoted(at int) int {
	quote := r.text[at]
	for i := at + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == quote && quote == '\'' && r.peek(i+1) == quote:
			i++
		case c == quote:
			return i + 1
		}
	}
	return len(r.text)
}

// blockScalar returns the end of the last line of a literal or folded block.
func (r *reader) blockScalar(p place) int {
	end := lineEnd(r.text, p.start)
	header, _, _ := strings.Cut(r.text[p.start:end], " ")
	margin := 0
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		margin = max(p.parent, 0) + int(header[i]-'0')
	}
	for at := end; at < len(r.text); {
		at = nextLine(r.text, at)
		last := lineEnd(r.text, at)
		line := r.text[at:last]
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case spaces == len(line) && (margin == 0 || spaces <= margin):
			if strings.Contains(header, "+") && at < len(r.text) {
				end = last
			}
		case spaces <= p.parent || spaces < margin:
			return end
		case margin == 0:
			margin = spaces
			fallthrough
		default:
			end = last
		}
		at = last
	}
	return end
}

// entries returns the entries of the map or list that starts at p.start, and its end.
func (r *reader) entries(p place) ([]entry, int) {
	switch c := r.peek(p.start); {
	case c == '{' || c == '[':
		return r.flow(p)
	case p.flow:
		r.fail(p.start, "this is a map without braces; write the braces")
		return nil, p.start
	}
	return r.block(p)
}

// block reads a block map or list: as many entries as start in the column of the first.
func (r *reader) block(p place) (list []entry, end int) {
	col := p.start - lineStart(r.text, p.start)
	end = p.start
	for at := p.start; r.inBlock(at, col, p.node.Kind) && !r.lost; at = r.space(end) {
		e := entry{start: at, value: place{parent: col, after: at + 1}}
		if p.node.Kind == source.List {
			e.value.node = item(p.node, len(list))
		} else if e = r.key(e, p.node, len(list)); !e.value.colon {
			r.fail(at, "the colon of this key was not found; edit the file manually")
		}
		e.value = r.locate(e.value)
		end = e.value.end
		list = append(list, e)
	}
	return list, end
}

// inBlock reports whether an entry of a block in a column is at an offset.
func (r *reader) inBlock(at, col int, kind source.Kind) bool {
	if at >= len(r.text) || at-lineStart(r.text, at) != col || col == 0 && isMarker(r.text[at:]) {
		return false
	}
	dash := r.text[at] == '-' && strings.IndexByte(" \t\r\n\x00", r.peek(at+1)) >= 0
	return dash == (kind == source.List)
}

// flow reads a map in braces or a list in brackets.
func (r *reader) flow(p place) (list []entry, end int) {
	closing := byte('}')
	if p.node.Kind == source.List {
		closing = ']'
	}
	at := r.space(p.start + 1)
	for r.peek(at) != closing && !r.lost {
		e := entry{start: at, value: place{parent: p.parent, after: at, flow: true}}
		if p.node.Kind == source.List {
			e.value.node = item(p.node, len(list))
		} else {
			e = r.key(e, p.node, len(list))
		}
		e.value = r.locate(e.value)
		list = append(list, e)
		if at = r.space(e.value.end); r.peek(at) == ',' {
			at = r.space(at + 1)
		} else if r.peek(at) != closing {
			r.fail(at, "the end of this value was not found; edit the file manually")
		}
	}
	return list, at + 1
}

// item returns an item of a list, or nil if there is none.
func item(n *source.Node, i int) *source.Node {
	if i < len(n.Items) {
		return n.Items[i]
	}
	return nil
}

// key reads the key at the start of an entry, and its colon, and finds its node. number is
// how many entries precede it.
func (r *reader) key(e entry, in *source.Node, number int) entry {
	at := e.start
	switch r.peek(at) {
	case '"', '\'':
		at = r.quoted(at)
		docs := source.Parse(&source.File{Data: []byte(r.text[e.start:at])}, new(source.Diagnostics))
		if len(docs) == 1 {
			e.key = docs[0].Text
		}
	default:
		at = r.plainKey(at, e.value.flow)
		e.key = r.text[e.start:at]
	}
	e.value.after = at
	if colon := at + len(r.text[at:]) - len(strings.TrimLeft(r.text[at:], " \t")); r.peek(colon) == ':' {
		e.value.after, e.value.colon = colon+1, true
	}
	e.value.node = in.Likely(e.key, number)
	if e.value.node == nil && e.key != "<<" {
		r.fail(e.start, "this key is written in a form that a program cannot edit; write it as one plain or quoted word")
	}
	return e
}

// plainKey returns the end of an unquoted key.
func (r *reader) plainKey(at int, flow bool) int {
	i := at
	for ; i < len(r.text) && r.text[i] != '\n'; i++ {
		c, next := r.text[i], r.peek(i+1)
		if c == ':' && (strings.IndexByte(" \t\r\n\x00", next) >= 0 || flow && strings.IndexByte(",[]{}", next) >= 0) ||
			flow && (c == ',' || c == '}') {
			break
		}
	}
	return at + len(strings.TrimRight(r.text[at:i], " \t\r"))
}

// peek returns the byte at an offset, or 0 at the end; a text contains no NUL.
func (r *reader) peek(at int) byte {
	if at < len(r.text) {
		return r.text[at]
	}
	return 0
}

// space returns the offset of the next content, after blanks, line breaks and comments.
func (r *reader) space(at int) int {
	for at < len(r.text) {
		switch r.text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			at = lineEnd(r.text, at)
		default:
			return at
		}
	}
	return at
}

// offset returns the offset of a node's position.
func (r *reader) offset(n *source.Node) int {
	at := 0
	for range n.Line - 1 {
		at = nextLine(r.text, at)
	}
	for range n.Col - 1 {
		_, size := utf8.DecodeRuneInString(r.text[at:])
		at += size
	}
	return at
}

// lineStart returns the offset of the first character of a line.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the offset of the line break after an offset, or the length of the text.
func lineEnd(text string, at int) int {
	i := strings.IndexByte(text[at:], '\n')
	if i < 0 {
		return len(text)
	}
	return at + len(strings.TrimSuffix(text[at:at+i], "\r"))
}

// nextLine returns the offset of the line after an offset, or the length of the text.
func nextLine(text string, at int) int {
	i := strings.IndexByte(text[at:], '\n')
	if i < 0 {
		return len(text)
	}
	return at + i + 1
}

// isMarker reports whether a line starts or ends a document.
func isMarker(line string) bool {
	markers := []string{"---", "..."}
	return slices.ContainsFunc(markers, func(m string) bool {
		rest, ok := strings.CutPrefix(line, m)
		return ok && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
	})
}
