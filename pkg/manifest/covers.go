package manifest

import (
	"bytes"
	"encoding/json"
)

// Covers reports whether a tree has every value of an object's JSON in its place, and in its lists no others; the tree
// may have more fields. It compares texts as they are, and decodes nothing. It can report false for what means the
// same, such as numbers in different spellings, or null and no field.
func Covers(tree Tree, text []byte) bool {
	s := scanner{text: text}
	_, is := s.coveredBy(tree)
	return is
}

// coveredBy reports whether the value that begins here is in another one, and whether it is an object with a name. It
// leaves the scanner anywhere if it is not.
func (s *scanner) coveredBy(v any) (named, is bool) {
	switch s.peek() {
	case '{':
		tree, isTree := v.(Tree)
		if !isTree {
			return false, false
		}
		return s.fieldsIn(tree)
	case '[':
		list, isList := v.([]any)
		return false, isList && s.entriesIn(list)
	case '"':
		text, isText := v.(string)
		raw, has := s.str()
		if has&hasEscape != 0 {
			raw = unescape(nil, raw)
		}
		return false, isText && string(raw) == text
	}
	literal := s.literal()
	switch v := v.(type) {
	case bool:
		return false, v && string(literal) == "true" || !v && string(literal) == "false"
	case json.Number:
		return false, string(literal) == string(v)
	}
	return false, false
}

// fieldsIn reports whether the fields of the object that begins here are in a tree.
func (s *scanner) fieldsIn(tree Tree) (named, are bool) {
	for s.pos++; s.more('}'); {
		key, has := s.key()
		if has&hasEscape != 0 {
			key = unescape(nil, key)
		}
		named = named || string(key) == "name"
		v, known := tree[string(key)]
		if !known {
			return named, false
		}
		if _, is := s.coveredBy(v); !is {
			return named, false
		}
	}
	return named, true
}

// entriesIn reports whether the list that begins here has as many entries as another one, and each is in the other's.
// An entry that has a name in the other list alone is another one; see [EntryName].
func (s *scanner) entriesIn(list []any) bool {
	n := 0
	for s.pos++; s.more(']'); n++ {
		if n == len(list) {
			return false
		}
		named, is := s.coveredBy(list[n])
		if !is || !named && Text(list[n], "name") != "" {
			return false
		}
	}
	return n == len(list)
}

// SameFields reports whether the JSON of two objects differs in values alone: both have the same fields in the same
// order, none with another name, and lists of the same length. It decodes nothing.
func SameFields(a, b []byte) bool {
	x, y := scanner{text: a}, scanner{text: b}
	return x.sameFields(&y)
}

func (s *scanner) sameFields(other *scanner) bool {
	c := s.peek()
	isTree, isList := c == '{', c == '['
	if d := other.peek(); isTree != (d == '{') || isList != (d == '[') {
		return false
	}
	switch {
	case isTree:
		return s.sameIn(other, '}')
	case isList:
		return s.sameIn(other, ']')
	}
	s.skip()
	other.skip()
	return true
}

// sameIn compares the fields of the objects, or the entries of the lists, that begin here.
func (s *scanner) sameIn(other *scanner, closing byte) bool {
	for s.pos, other.pos = s.pos+1, other.pos+1; ; {
		more := s.more(closing)
		if more != other.more(closing) {
			return false
		}
		if !more {
			return true
		}
		if closing == '}' {
			key, _ := s.key()
			same, _ := other.key()
			if !bytes.Equal(key, same) {
				return false
			}
			if string(key) == "name" && !s.sameText(*other) {
				return false
			}
		}
		if !s.sameFields(other) {
			return false
		}
	}
}

// sameText reports whether the same value is ahead of two scanners, in the same spelling.
func (s scanner) sameText(other scanner) bool {
	start, otherStart := s.pos, other.pos
	s.skip()
	other.skip()
	return bytes.Equal(s.text[start:s.pos], other.text[otherStart:other.pos])
}
