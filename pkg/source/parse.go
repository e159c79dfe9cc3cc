package source

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/vmrender/vmrender/pkg/rule"
)

// The limits that [Parse] enforces.
const (
	MaxFileSize = 32 << 20 // bytes in a file
	MaxDepth    = 100      // maps and lists within each other
)

const byteOrderMark = "\ufeff"

// Parse reads all documents of a file of at most [MaxFileSize]. It adds problems to
// diags, as many as it can find in one pass. A document with a syntax error is left out,
// as is all that follows the hundredth of them. A document with other errors lacks the
// keys concerned. An empty file or document is a [Null] node. Strings of the result share
// the memory of file.Data, which must not change afterwards.
//
// Scalars resolve as in YAML 1.2, except those that YAML versions read differently (see
// [Node.Ambiguous]); aliases share the node of their anchor, and merge keys ("<<") are
// expanded.
func Parse(file *File, diags *Diagnostics) []*Node { return parseApart(file, "", diags) }

// parseApart is like Parse, and may leave the entries under a key of the documents as text.
func parseApart(file *File, apart string, diags *Diagnostics) []*Node {
	if len(file.Data) > MaxFileSize {
		diags.Errorf(Pos{File: file.Name}, rule.FileSize, "",
			"the file has %d bytes; at most %d are accepted", len(file.Data), MaxFileSize)
		return nil
	}
	text, wide, ok := file.text(diags)
	if !ok {
		return nil
	}
	s := scanner{file: file, text: text, wide: wide, apart: apart}
	if docs, ok := s.documents(); ok {
		return docs
	}
	return parseFull(file, text, diags)
}

// text checks that the file is text, and returns its content without a byte order mark
// and with line feeds only. wide reports whether it contains more than printable ASCII.
func (f *File) text(diags *Diagnostics) (text string, wide, ok bool) {
	text = unsafe.String(unsafe.SliceData(f.Data), len(f.Data))
	if i := firstUnusual(text); i < len(text) {
		text = strings.TrimPrefix(text, byteOrderMark)
		if strings.IndexByte(text, '\r') >= 0 {
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		return text, true, checkText(f, text, diags)
	}
	return text, false, true
}

// firstUnusual returns the offset of the first byte that is neither printable
// ASCII nor a line feed, or the length of the text.
func firstUnusual(text string) int {
	i := 0
	for i+8 <= len(text) && allUsual(text[i:i+8]) {
		i += 8
	}
	for i < len(text) && (text[i]-' ' < 0x7f-' ' || text[i] == '\n') {
		i++
	}
	return i
}

// allUsual reports whether eight bytes are printable ASCII or line feeds. The highest bit of each byte of a number is
// the answer for it; it is set before a subtraction, which then borrows nothing from the next byte.
func allUsual(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	notControl, notFeed, deleted := (w|highs)-' '*ones, (w^'\n'*ones|highs)-ones, w&^highs+ones
	return (w|deleted|^notControl&notFeed)&highs == 0
}

// checkText reports the first character that a values file cannot contain. Characters
// that only some readers treat as line breaks are rejected, because line numbers would
// depend on the reader.
func checkText(f *File, text string, diags *Diagnostics) bool {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		diags.Errorf(position(f, text, 0), rule.Encoding, "", "the file is encoded in UTF-16; only UTF-8 is accepted")
		return false
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if problem := badRune(r, size); problem != "" {
			diags.Errorf(position(f, text, i), rule.Encoding, "", "%s", problem)
			return false
		}
		i += size
		i += firstUnusual(text[i:])
	}
	return true
}

func badRune(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "this is not valid UTF-8; only UTF-8 text is accepted"
	case r == 0:
		return "the file holds a NUL byte and seems to be binary; only UTF-8 text is accepted"
	case r == '\r':
		return "a carriage return stands without a line feed; end lines with LF or CR LF"
	case r == 0x85, r == 0x2028, r == 0x2029:
		return "a Unicode line separator is not accepted; end lines with LF or CR LF"
	case r == 0xfeff:
		return "a byte order mark is accepted only at the start of the file"
	case r < ' ' && r != '\t' && r != '\n', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
		return "a control character is not accepted; write it as an escape in double quotes"
	}
	return ""
}

// position returns the position of an offset in a text.
func position(f *File, text string, offset int) Pos {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return Pos{
		File: f.Name,
		Line: strings.Count(text[:start], "\n") + 1,
		Col:  utf8.RuneCountInString(text[start:offset]) + 1,
	}
}
