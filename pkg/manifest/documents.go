package manifest

import "bytes"

// document is a part of a stream between two markers.
type document struct {
	number int // among the documents that are not empty, from 1
	line   int // of the stream, on which the text begins: the first that is not a comment
	text   []byte
}

// split splits a stream into its documents, without those that contain nothing
// but comments. It overwrites markers and directives with spaces, so that text on
// the same line as a marker keeps its position.
//
// A line that begins with --- or ... always ends a document: YAML allows neither
// at the start of a line within a scalar (YAML 1.2, 9.1.2).
func split(stream []byte) (documents []document) {
	stream = bytes.TrimPrefix(stream, []byte("\ufeff"))
	start, startLine, empty := 0, 1, true
	add := func(end int) {
		if !empty {
			documents = append(documents, document{len(documents) + 1, startLine, stream[start:end]})
		}
	}
	line := 1
	for pos := 0; pos < len(stream); line++ {
		end := lineEnd(stream, pos)
		text := stream[pos:end]
		switch {
		case isMarker(text):
			add(pos)
			empty = true
			blank(text[:3])
		case empty && text[0] == '%':
			blank(text)
		}
		if empty && !isBlank(text) {
			start, startLine, empty = pos, line, false
		}
		pos = end
	}
	add(len(stream))
	return documents
}

// lineEnd returns the end of the line that begins at pos, after its line break,
// which in YAML may be a single carriage return.
func lineEnd(text []byte, pos int) int {
	i := bytes.IndexAny(text[pos:], "\r\n")
	if i < 0 {
		return len(text)
	}
	end := pos + i + 1
	if text[end-1] == '\r' && end < len(text) && text[end] == '\n' {
		end++
	}
	return end
}

func isMarker(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0
}

func isBlank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// blank overwrites the text of a line with spaces, but not its line break.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// lineCounter returns the lines of offsets in a text. It counts from the last
// offset that was requested.
type lineCounter struct {
	text []byte
	line int // of pos
	pos  int
}

func (c *lineCounter) at(offset int) int {
	if offset < c.pos {
		return c.line - bytes.Count(c.text[offset:c.pos], []byte("\n"))
	}
	c.line += bytes.Count(c.text[c.pos:offset], []byte("\n"))
	c.pos = offset
	return c.line
}
