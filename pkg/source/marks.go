package source

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// failure is a syntax error of the YAML library, with offsets in the text.
type failure struct {
	problem string // without its line
	at      int    // of what the parser could not read
	opened  int    // of the construct that it was reading, such as a quote or a bracket, if it was
}

const unknownAnchor = "unknown anchor '"

// newFailure returns the failure of a decoder that stopped in text.
func newFailure(decoder *yaml.Decoder, text string, err error) *failure {
	f := &failure{problem: errorForm().ReplaceAllString(err.Error(), "")}
	reader := reflect.ValueOf(decoder).Elem().FieldByName("parser").Elem()
	parser := reader.FieldByName("parser")
	switch {
	case strings.HasPrefix(f.problem, unknownAnchor):
		f.at = offsetOf(text, mark(reader.FieldByName("event"), "start_mark"))
	case parser.FieldByName("error").Int() == 0: // the parser is content; the library is not, and panics
		f.at = offsetOf(text, mark(parser, "mark"))
	default:
		f.at = offsetOf(text, mark(parser, "problem_mark"))
		f.opened = offsetOf(text, mark(parser, "context_mark"))
	}
	return f
}

// spot is a place in a text, with a column in characters.
type spot struct{ line, column int }

// after returns the spot at the end of a text that starts at s, where columns count from 1.
func (s spot) after(text string) spot {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		s.line += strings.Count(text, "\n")
		s.column = 1
		text = text[i+1:]
	}
	s.column += utf8.RuneCountInString(text)
	return s
}

// mark reads a mark of a decoder's parser, which counts from 0. The parser knows the
// place of an error to the character, but its messages contain at most a line, which may
// be the one before, or that of the construct around. Parsing parts of the text again
// does not find it: a part can have the same problem in another place. So this reads
// private fields of a library that is no longer developed; TestPlaces fails if they
// change.
func mark(v reflect.Value, name string) spot {
	v = v.FieldByName(name)
	return spot{int(v.FieldByName("line").Int()), int(v.FieldByName("column").Int())}
}

// offsetOf returns the offset in text of a spot that counts from 0.
func offsetOf(text string, s spot) int {
	at := startOfLine(text, s.line)
	for end := at + len(lineAt(text, at)); s.column > 0 && at < end; s.column-- {
		_, size := utf8.DecodeRuneInString(text[at:end])
		at += size
	}
	return at
}

// startOfLine returns the offset of a line, counted from 0, or the length of the text.
func startOfLine(text string, line int) int {
	offset := 0
	for ; line > 0; line-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	return offset
}
