package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ReadError is a problem in a stream of objects.
type ReadError struct {
	File     string // if it is known; see [ReadFiles]
	Document int    // among the documents that are not empty, from 1; 0 for a whole file
	Line     int    // in the stream, from 1; the first of the document if unknown; 0 for a whole file
	Item     int    // of a List, from 1; 0 outside Lists
	Problem  string
}

func (e *ReadError) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message())
	case e.File != "":
		return e.File + ": " + e.Message()
	}
	at := fmt.Sprintf("document %d, line %d", e.Document, e.Line)
	if e.Item > 0 {
		return at + ", " + e.Message()
	}
	return at + ": " + e.Message()
}

// Message returns the error without its file, document and line.
func (e *ReadError) Message() string {
	if e.Item > 0 {
		return fmt.Sprintf("item %d: %s", e.Item, e.Problem)
	}
	return e.Problem
}

// Read reads the objects of a stream: YAML documents, JSON objects one after the
// other, or a mixture. Lists are expanded, also within Lists; as for Argo CD and
// kubectl, any object with a list under `items` is a List. Empty documents are
// skipped.
//
// Each object's JSON is canonical: keys sorted, no null entries, numbers in their
// shortest form. So two objects with the same meaning have the same bytes, however
// they were written.
//
// All problems are returned, each a [ReadError], joined by [errors.Join], and
// then no objects. Problems are broken YAML or JSON, keys that occur twice,
// and objects without apiVersion, kind or name.
func Read(r io.Reader) ([]Object, error) { return Reader{}.Read(r) }

// Reader reads objects. The zero value reads as [Read] does.
type Reader struct {
	// Trees leaves out the JSON of the objects: [Object.Tree] returns the tree that was read, without decoding
	// it again, and the same one each time. It is for objects of which each is used as a tree and stays, such as
	// those of a cluster.
	Trees bool
	// Part returns the objects without problems even if there are others.
	Part bool
	// Room is called with the size in bytes of each text before it is decoded. Nil for nothing.
	Room func(bytes int)
}

// Read reads the objects of a stream; see [Read].
func (o Reader) Read(r io.Reader) ([]Object, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading objects: %w", err)
	}
	return o.read(text)
}

// read reads the objects of a text, which it changes.
func (o Reader) read(text []byte) ([]Object, error) {
	if o.Room != nil {
		o.Room(len(text))
	}
	stream := reading{trees: o.Trees}
	for _, d := range split(text) {
		stream.document(d)
	}
	return o.result(stream.objects, stream.errs)
}

// result returns what was read, unless there are problems, with those.
func (o Reader) result(objects []Object, problems []error) ([]Object, error) {
	if len(problems) > 0 && !o.Part {
		objects = nil
	}
	return objects, errors.Join(problems...)
}

// reading collects what was read so far.
type reading struct {
	trees   bool // see [Reader]
	objects []Object
	errs    []error
}

func (r *reading) fail(at ReadError, format string, args ...any) {
	at.Problem = fmt.Sprintf(format, args...)
	r.errs = append(r.errs, &at)
}

// document reads a document as JSON objects if it begins with a brace, and as YAML
// otherwise. If it is not valid JSON, it may be YAML in flow style.
func (r *reading) document(d document) {
	if !isFlow(d.text) {
		r.yaml(d)
		return
	}
	if !utf8.Valid(d.text) { // encoding/json replaces it
		r.fail(ReadError{Document: d.number, Line: d.line}, "the text is not valid UTF-8")
		return
	}
	if !r.flawless(d.text) {
		r.flow(d)
	}
}

// flow reads a document that begins with a brace, and finds out where its problems are.
func (r *reading) flow(d document) {
	values, jsonErr := jsonValues(d.text)
	lines := &lineCounter{text: d.text, line: d.line}
	if jsonErr == nil {
		for _, v := range values {
			r.json(d, v, lines)
		}
		return
	}
	text, err := toJSON(d.text)
	switch {
	case err == nil:
		r.value(ReadError{Document: d.number, Line: d.line}, text, nil)
	case len(values) > 0: // objects were read: the document is JSON
		broken := values[len(values)-1].end()
		broken += len(d.text[broken:]) - len(bytes.TrimLeft(d.text[broken:], " \t\r\n"))
		at := ReadError{Document: d.number, Line: lines.at(broken)}
		r.fail(at, "broken JSON after object %d: %v", len(values), jsonErr)
	default:
		r.yamlErrors(d, err)
	}
}

func (r *reading) yaml(d document) {
	text, err := toJSON(d.text)
	if err != nil {
		r.yamlErrors(d, err)
		return
	}
	if !r.flawless(text) {
		r.value(ReadError{Document: d.number, Line: d.line}, text, nil)
	}
}

// json reads one JSON value of a document, in which the line of every offset is
// known.
func (r *reading) json(d document, v jsonValue, lines *lineCounter) {
	s := scanner{text: v.text}
	if key, twice := s.duplicate(); twice {
		at := ReadError{Document: d.number, Line: lines.at(v.start + s.pos)}
		r.fail(at, "key %q already set in map", key)
		return
	}
	at := ReadError{Document: d.number, Line: lines.at(v.start)}
	r.value(at, v.text, func(offset int) int { return lines.at(v.start + offset) })
}

// value adds the object, or the objects of the List, that a JSON value contains.
// lineAt returns the line of an offset in it, or nil if lines are unknown.
func (r *reading) value(at ReadError, text []byte, lineAt func(offset int) int) {
	s := scanner{text: text}
	if c := s.peek(); c != '{' {
		if c != 'n' || at.Item > 0 { // null is an empty document
			problem := "not an object; an object is a map with apiVersion, kind and metadata.name"
			if page, ok := decode(text); ok && at.Item == 0 && strings.HasPrefix(fmt.Sprint(page), "<") {
				problem = "a web page instead of objects, perhaps of a login"
			}
			r.fail(at, "%s", problem)
		}
		return
	}
	items, isList := s.items()
	if !isList {
		r.object(at, text)
		return
	}
	for i, item := range items {
		at.Item = i + 1
		var within func(int) int
		if lineAt != nil {
			at.Line = lineAt(item.start)
			within = func(offset int) int { return lineAt(item.start + offset) }
		}
		r.value(at, item.text, within)
	}
}

func (r *reading) object(at ReadError, text []byte) {
	canonical, err := canonical(text)
	if err != nil {
		r.fail(at, "%v", err)
		return
	}
	id := Identify(canonical)
	var missing []string
	for _, field := range []struct{ name, value string }{
		{"apiVersion", id.APIVersion}, {"kind", id.Kind}, {"metadata.name", id.Name},
	} {
		if field.value == "" {
			missing = append(missing, field.name)
		}
	}
	if message := errorIn(canonical); len(missing) == 3 && message != "" {
		r.fail(at, "an error message instead of objects: %s", message)
		return
	}
	if len(missing) > 0 {
		r.fail(at, "object without %s; every object has apiVersion, kind and metadata.name", strings.Join(missing, ", "))
		return
	}
	o := Object{ID: id, JSON: canonical}
	if r.trees {
		o = Object{ID: id, tree: Decode(canonical)}
	}
	r.objects = append(r.objects, o)
}

// errorIn returns what a client has printed in the place of objects, such as "error: You must be logged in to the
// server (Unauthorized)", which is also a map in YAML; or "".
func errorIn(canonical []byte) string {
	for key, value := range Decode(canonical) {
		if text, ok := value.(string); ok && strings.HasPrefix(strings.ToLower(key), "error") {
			return key + ": " + text
		}
	}
	return ""
}

// canonical decodes and encodes a JSON object, which normalizes the order of keys
// and the form of numbers and strings.
func canonical(text []byte) ([]byte, error) {
	v, ok := decode(text)
	if tree, isTree := v.(Tree); ok && isTree {
		return appendTree(make([]byte, 0, len(text)), tree)
	}
	var broken Tree
	return nil, json.Unmarshal(text, &broken) // tells why
}
