package manifest

import (
	"bytes"
	"slices"
)

// AppendYAML appends the block-style YAML of a JSON value to dst, with the keys in
// their present order and a newline at the end. The text must be valid JSON.
//
// The layout is that of kubectl and sigs.k8s.io/yaml: two spaces of indentation,
// lists in the column of their key. A string is quoted if a YAML 1.1 or 1.2 reader
// would not read it as a string, and is a literal block if it has several lines.
func AppendYAML(dst, json []byte) []byte {
	t := transcriber{scanner: scanner{text: json}, out: dst}
	t.root()
	return append(t.out, '\n')
}

// transcriber writes the JSON value that begins at its scanner's position. Nothing
// that it writes ends with a newline: the next entry or item begins with one.
type transcriber struct {
	scanner
	out     []byte
	content []byte // of a string with escapes; reused
}

// longestKey is the maximum length in bytes of a key that is written without `?`:
// YAML readers look for the colon of a `key:` in its first 1024 characters.
const longestKey = 1000

func (t *transcriber) root() {
	switch c := t.peek(); {
	case c == '{' && !t.isEmpty('}'):
		t.mapping(0, true)
	case c == '[' && !t.isEmpty(']'):
		t.list(0, true)
	default:
		t.scalar(c, 0)
	}
}

// isEmpty reports whether the bracket that begins here is closed immediately. If
// not, it moves inside.
func (t *transcriber) isEmpty(closing byte) bool {
	start := t.pos
	t.pos++
	if t.peek() == closing {
		t.pos = start
		return true
	}
	return false
}

// mapping writes the entries of an object whose bracket was read. If inline, the
// first entry is written on the current line, as after a dash.
func (t *transcriber) mapping(indent int, inline bool) {
	for t.more('}') {
		if !inline {
			t.newline(indent)
		}
		inline = false
		raw, has := t.key()
		t.writeKey(raw, has, indent)
		t.value(indent)
	}
}

func (t *transcriber) writeKey(raw []byte, has class, indent int) {
	start := len(t.out)
	content, has := t.resolve(raw, has)
	t.out = appendInLine(t.out, content, has)
	if len(t.out)-start > longestKey {
		t.out = slices.Insert(t.out, start, '?', ' ')
		t.newline(indent)
	}
	t.out = append(t.out, ':')
}

// value writes the value of a key in column indent.
func (t *transcriber) value(indent int) {
	switch c := t.peek(); {
	case c == '{' && !t.isEmpty('}'):
		t.mapping(indent+2, false)
	case c == '[' && !t.isEmpty(']'):
		t.list(indent, false)
	default:
		t.out = append(t.out, ' ')
		t.scalar(c, indent)
	}
}

// list writes the items of a list whose bracket was read, dashes in column
// indent.
func (t *transcriber) list(indent int, inline bool) {
	for t.more(']') {
		if !inline {
			t.newline(indent)
		}
		inline = false
		t.out = append(t.out, '-', ' ')
		switch c := t.peek(); {
		case c == '{' && !t.isEmpty('}'):
			t.mapping(indent+2, true)
		case c == '[' && !t.isEmpty(']'):
			t.list(indent+2, true)
		default:
			t.scalar(c, indent)
		}
	}
}

// scalar writes a string, number, true, false, null, {} or [] under a parent
// in column indent.
func (t *transcriber) scalar(first byte, indent int) {
	switch first {
	case '"':
		content, has := t.resolve(t.str())
		if has&hasNewline != 0 && fitsLiteral(content) {
			t.literalBlock(content, indent+2)
			return
		}
		t.out = appendInLine(t.out, content, has)
	case '{':
		t.skip()
		t.out = append(t.out, "{}"...)
	case '[':
		t.skip()
		t.out = append(t.out, "[]"...)
	default:
		t.out = append(t.out, t.literal()...)
	}
}

// resolve returns the content of a string without JSON escapes.
func (t *transcriber) resolve(raw []byte, has class) ([]byte, class) {
	if has&hasEscape == 0 {
		return raw, has
	}
	t.content = unescape(slices.Grow(t.content[:0], len(raw)), raw)
	return t.content, classesOf(t.content)
}

// margin is a newline and enough spaces for the indentation of most objects.
const margin = "\n                                                                "

func (t *transcriber) newline(indent int) {
	first := min(indent, len(margin)-1)
	t.out = append(t.out, margin[:1+first]...)
	for range indent - first {
		t.out = append(t.out, ' ')
	}
}

// literalBlock writes a string of several lines after `|`. Its chomping indicator
// specifies how the string ends: without a newline, with one, or with more.
func (t *transcriber) literalBlock(content []byte, indent int) {
	t.out = append(t.out, '|')
	n := len(content)
	switch {
	case content[n-1] != '\n':
		t.out = append(t.out, '-')
	case content[n-2] == '\n':
		t.out = append(t.out, '+')
		n--
	default:
		n--
	}
	t.lines(content[:n], indent)
}

var newline = []byte("\n")

// lines writes each line of the text on a new line, and empty ones without
// indentation.
func (t *transcriber) lines(text []byte, indent int) {
	for more := true; more; {
		var line []byte
		line, text, more = bytes.Cut(text, newline)
		if len(line) == 0 {
			t.newline(0)
			continue
		}
		t.newline(indent)
		t.out = append(t.out, line...)
	}
}
