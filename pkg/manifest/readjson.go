package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// jsonValue is one of the values of a document, with its offset in the text.
type jsonValue struct {
	text  []byte
	start int
}

// jsonValues returns the values of a document that begins with a JSON object, up to
// the first broken one, and the error in that one.
func jsonValues(text []byte) (values []jsonValue, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		values = append(values, jsonValue{raw, int(d.InputOffset()) - len(raw)})
	}
}

func (v jsonValue) end() int { return v.start + len(v.text) }

// items returns the items of the List that begins here, with their offsets in the
// scanner's text. If there are several keys `items`, the last one counts, as in
// every reader. In a kind that ends with List, items may be null: it has none.
func (s *scanner) items() (items []jsonValue, isList bool) {
	var named, null bool
	for key := range s.keys() {
		switch c := s.peek(); {
		case key == "items" && c == '[':
			items, isList = s.list(), true
		case key == "items" && c == 'n':
			null = true
			s.skip()
		case key == "kind" && c == '"':
			kind, _ := s.str()
			named = bytes.HasSuffix(kind, []byte("List"))
		default:
			s.skip()
		}
	}
	return items, isList || named && null
}

// list returns the items of the list that begins here.
func (s *scanner) list() (items []jsonValue) {
	for s.pos++; s.more(']'); {
		start := s.pos
		s.skip()
		items = append(items, jsonValue{s.text[start:s.pos], start})
	}
	return items
}

// duplicate returns the first key that occurs twice in one object, at any depth, and
// leaves the scanner there.
func (s *scanner) duplicate() (key string, twice bool) {
	switch s.peek() {
	case '{':
		seen := map[string]bool{}
		for key := range s.keys() {
			if seen[key] {
				return key, true
			}
			seen[key] = true
			if key, twice := s.duplicate(); twice {
				return key, true
			}
		}
	case '[':
		for s.pos++; s.more(']'); {
			if key, twice := s.duplicate(); twice {
				return key, true
			}
		}
	default:
		s.skip()
	}
	return "", false
}
