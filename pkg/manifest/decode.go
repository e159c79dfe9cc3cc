package manifest

import (
	"encoding/json"
	"maps"
)

// decoder reads a JSON value into a tree, as encoding/json does with [json.Decoder.UseNumber], in half of
// its time (BenchmarkDecode): a plan decodes every object that changes, and every object in the cluster.
type decoder struct {
	text []byte
	pos  int
	deep int
	// canonical is true if trees are those of canonical JSON; see [Read]. A key that occurs twice in one object is
	// an error then.
	canonical bool
	recent    *recent
}

// deepest is the depth at which encoding/json gives up, too.
const deepest = 10000

// decode returns the value that a text is; false if it is not one value of valid JSON.
func decode(text []byte) (v any, ok bool) {
	d := decoder{text: text, recent: borrowRecent()}
	defer d.recent.giveBack()
	if v, ok = d.value(); !ok {
		return nil, false
	}
	if d.next(); d.pos < len(text) {
		return nil, false
	}
	return v, true
}

func (d *decoder) space() {
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// next returns the next byte after white space without taking it, or 0 at the end.
func (d *decoder) next() byte {
	d.space()
	if d.pos == len(d.text) {
		return 0
	}
	return d.text[d.pos]
}

// take takes a byte after white space, and reports whether it is there.
func (d *decoder) take(c byte) bool {
	if d.next() != c {
		return false
	}
	d.pos++
	return true
}

func (d *decoder) value() (any, bool) {
	switch c := d.next(); {
	case c == '{':
		return nested(d, (*decoder).object)
	case c == '[':
		return nested(d, (*decoder).list)
	case c == '"':
		return d.str()
	case c == '-' || isDigit(c):
		return d.number()
	case c == 't':
		return true, d.word("true")
	case c == 'f':
		return false, d.word("false")
	case c == 'n':
		return nil, d.word("null")
	}
	return nil, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (d *decoder) word(w string) bool {
	if len(d.text)-d.pos < len(w) || string(d.text[d.pos:d.pos+len(w)]) != w {
		return false
	}
	d.pos += len(w)
	return true
}

// nested reads a value that has others in it.
func nested[T any](d *decoder, read func(*decoder) (T, bool)) (any, bool) {
	d.deep++
	d.pos++
	if d.deep > deepest {
		return nil, false
	}
	v, ok := read(d)
	d.deep--
	return v, ok
}

func (d *decoder) object() (Tree, bool) {
	out := Tree{}
	if d.take('}') {
		return out, true
	}
	nulls := false
	for n := 1; ; n++ {
		key, ok := d.key()
		if !ok {
			return nil, false
		}
		v, ok := d.value()
		if !ok {
			return nil, false
		}
		out[key] = v
		if d.canonical && len(out) < n {
			return nil, false
		}
		nulls = nulls || v == nil
		if d.take(',') {
			continue
		}
		if d.canonical && nulls {
			maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
		}
		return out, d.take('}')
	}
}

// key reads a key and its colon.
func (d *decoder) key() (string, bool) {
	if d.next() != '"' {
		return "", false
	}
	v, ok := d.str()
	key, _ := v.(string)
	return key, ok && d.take(':')
}

func (d *decoder) list() ([]any, bool) {
	if d.take(']') {
		return []any{}, true
	}
	out := make([]any, 0, 4) // most lists of an object have few entries
	for {
		v, ok := d.value()
		if !ok {
			return nil, false
		}
		out = append(out, v)
		if d.take(',') {
			continue
		}
		return out, d.take(']')
	}
}

// str reads a text. Those with escapes are left to encoding/json.
func (d *decoder) str() (any, bool) {
	start := d.pos
	for i := start + 1; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			d.pos = i + 1
			return d.recent.text(d.text[start+1 : i]), true
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// escaped reads a text with escapes from its first quote on.
func (d *decoder) escaped(start int) (any, bool) {
	for i := start + 1; i < len(d.text); i++ {
		switch d.text[i] {
		case '\\':
			i++
		case '"':
			d.pos = i + 1
			var s string
			err := json.Unmarshal(d.text[start:d.pos], &s)
			return s, err == nil
		}
	}
	return nil, false
}

// number reads a number as it is written or, for a canonical tree, as [Encode] writes it.
func (d *decoder) number() (any, bool) {
	start := d.pos
	if !d.skipNumber() {
		return nil, false
	}
	n := json.Number(d.text[start:d.pos])
	if !d.canonical || isInteger(string(n)) {
		return n, true
	}
	normal, err := appendNumber(nil, string(n))
	return json.Number(normal), err == nil
}

// skipNumber skips a number, and reports whether one is there.
func (d *decoder) skipNumber() bool {
	d.sign('-')
	switch whole := d.digits(); {
	case whole == 0, whole > 1 && d.text[d.pos-whole] == '0':
		return false
	}
	if d.at('.') {
		d.pos++
		if d.digits() == 0 {
			return false
		}
	}
	if d.at('e') || d.at('E') {
		d.pos++
		d.sign('-')
		if d.text[d.pos-1] != '-' {
			d.sign('+')
		}
		if d.digits() == 0 {
			return false
		}
	}
	return true
}

func (d *decoder) at(c byte) bool { return d.pos < len(d.text) && d.text[d.pos] == c }

func (d *decoder) sign(c byte) {
	if d.at(c) {
		d.pos++
	}
}

// digits takes digits, and returns their number.
func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.text) && isDigit(d.text[d.pos]) {
		d.pos++
	}
	return d.pos - start
}
