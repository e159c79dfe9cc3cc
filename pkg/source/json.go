package source

import (
	"bytes"
	"encoding/json"
	"strings"
)

// AppendJSON appends the compact JSON of a tree to dst: keys in the order written,
// numbers as written if JSON allows that and with the least change otherwise (+5 is 5,
// .5 is 0.5). A nil node is null. Ambiguous scalars are written as strings; see
// [ReportAmbiguous].
func AppendJSON(dst []byte, n *Node) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool:
		return append(dst, strings.ToLower(n.Text)...)
	case Int, Float:
		return appendNumber(dst, n.Text)
	case String:
		return appendString(dst, n.Text)
	case Map:
		return appendMap(dst, n.Fields)
	case List:
		return appendList(dst, n.Items)
	}
	return append(dst, "null"...)
}

func appendMap(dst []byte, fields []Field) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, fields[i].Key), ':')
		dst = AppendJSON(dst, fields[i].Value)
	}
	return append(dst, '}')
}

func appendList(dst []byte, items []*Node) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, item)
	}
	return append(dst, ']')
}

// appendNumber converts the forms of numbers that only YAML has to JSON's, as text, so
// that no digit is lost.
func appendNumber(dst []byte, s string) []byte {
	if s[0] == '-' {
		dst = append(dst, '-')
	}
	s = unsigned(s)
	whole := digits(s)
	s = s[len(whole):]
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	dst = append(dst, whole...)
	if strings.HasPrefix(s, ".") && digits(s[1:]) == "" {
		s = s[1:]
	}
	return append(dst, s...)
}

// appendString appends s as a JSON string, as encoding/json writes it, except that <, >
// and & are not escaped.
func appendString(dst []byte, s string) []byte {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // neither a string nor a buffer fails
	return append(dst, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
