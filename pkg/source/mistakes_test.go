package source

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/rule"
)

// mistake replaces the value of a key, or its line, in a valid text.
type mistake struct {
	value  string // after "key: "
	line   string // instead of the line, after its indentation
	column int    // position counted from 1 in value or line; 0 is the first column of the line
	later  bool   // the position may be on a later line of the document, because the text remains valid for a while
}

const anywhere = -1 // in the line

// mistakes are typical mistakes of users, to make one at a time, with the positions that
// they need.
var mistakes = []mistake{
	{value: "[pod, , lan]", column: 7},
	{value: "[x, {y: z}, ]]", column: 14},
	{value: "{a: ]}", column: 5},
	{value: "{a: 1, b: {c: d}}}", column: 18},
	{value: "]", column: 1},
	{value: "}", column: 1},
	{value: ",", column: 1},
	{value: "@a", column: 1},
	{value: "`a`", column: 1},
	{value: "%a", column: 1},
	{value: `"a" b`, column: 5},
	{value: `"a" "b"`, column: 5},
	{value: "'a'b", column: 4},
	{value: "[a]b", column: 4},
	{value: "see: this", column: 4},
	{value: "'see': this", column: 6},
	{value: "- bad", column: 1},
	{value: "*nowhere", column: 1},
	{value: `"c:\qemu"`, column: 4},
	{value: "{{ .vars.x }}-b", column: 1},
	{value: `{{ .vars.x }} "b"`, column: 1},
	{value: "|x", column: 2},
	{value: "[a", column: 1, later: true},
	{value: "{a: 1", column: 1, later: true},
	{value: "'a", column: 1, later: true},
	{value: `"a`, column: 1, later: true},
	{line: "bad", column: 1},
	{line: `"bad" x: 1`, column: 7},
	{line: "]: 1", column: 2},
	{line: "\tbad: 1"},
	{line: "x: {a: [b}", column: 8},
	{line: " bad: 1", column: anywhere}, // at the colon if the previous line ends with a word
}

// writer writes valid documents and remembers the lines that a mistake can replace.
type writer struct {
	*rand.Rand
	lines []string
	plain []int // lines "key: word" that follow a line with the same indentation
}

func (w *writer) write(indent int, format string, args ...any) {
	w.lines = append(w.lines, strings.Repeat(" ", indent)+fmt.Sprintf(format, args...))
}

// document writes a map with an id and values in every style.
func (w *writer) document(id int) {
	w.write(0, "id: %d", id)
	for i := range 1 + w.IntN(4) {
		w.write(0, "group%d:", i)
		w.group(2, 3)
	}
	w.write(0, "last: true")
}

func (w *writer) group(indent, depth int) {
	w.write(indent, "first: {a: [b, {c: d}], e: 'f'} # note")
	for i := range 1 + w.IntN(6) {
		key := fmt.Sprintf("key%d", i)
		switch n := w.IntN(12); {
		case n < 4:
			w.write(indent, "%s: word", key)
			w.plain = append(w.plain, len(w.lines)-1)
		case n == 4:
			w.write(indent, `%s: "quoted {{ .x }} [" # ]`, key)
		case n == 5:
			w.write(indent, "%s: [a, {b: c, d: [e]}, 'f, g', \"h\"]", key)
		case n == 6:
			w.write(indent, "%s: |", key)
			w.write(indent+2, "text: [not, {yaml")
			w.lines = append(w.lines, "")
			w.write(indent+2, "--- \" it")
		case n == 7:
			w.write(indent, "%s: [a,", key)
			w.write(indent+2, "b, {c: d},")
			w.write(indent+2, "]")
		case n == 8:
			w.write(indent, "%s:", key)
			w.write(indent, "- x: &anchor 1")
			w.write(indent, "  y: *anchor")
			w.write(indent, "- {größe: 'é'}")
		case n == 9:
			w.write(indent, "# %s: [", key)
			w.write(indent, `%s: "a\n%s"`, key, `\u00e9`)
		case n == 10 && depth > 0:
			w.write(indent, "%s:", key)
			w.group(indent+2, depth-1)
		default:
			w.write(indent, "%s: >-", key)
			w.write(indent+2, "folded: text")
		}
	}
	w.write(indent, "end: word")
	w.plain = append(w.plain, len(w.lines)-1)
}

// requireFound writes documents from a seed and makes one mistake in one of them. It
// checks that the mistake is reported once, at its position, and that the other documents
// are read once. It returns the mistake.
func requireFound(t *testing.T, seed uint64) {
	t.Helper()
	w := writer{Rand: rand.New(rand.NewPCG(seed, 0))}
	count := 1 + w.IntN(4)
	broken := w.IntN(count)
	m := mistakes[w.IntN(len(mistakes))]
	at, end := 0, 0
	var rest []string // ids of the other documents
	for id := range count {
		if id > 0 || w.IntN(2) == 0 {
			w.write(0, "---")
		}
		w.plain = nil
		w.document(id)
		if id != broken {
			rest = append(rest, strconv.Itoa(id))
			continue
		}
		at, end = w.plain[w.IntN(len(w.plain))], len(w.lines)
	}
	column := m.apply(&w.lines[at])
	text := strings.Join(w.lines, "\n") + "\n"

	var diags Diagnostics
	var ids []string
	for _, doc := range Parse(&File{Name: "f", Data: []byte(text)}, &diags) {
		ids = append(ids, doc.Get("id").Text)
	}
	require.Equal(t, rest, ids, "documents of\n%s", text)
	require.Len(t, diags.list, 1, "%s%s", lines(&diags), text)
	d := diags.list[0]
	require.Equal(t, rule.YAMLSyntax, d.Rule)
	if m.column == anywhere {
		column = d.Col
	}
	if m.later && d.Line > at+1 && d.Line <= end {
		return
	}
	require.Equal(t, fmt.Sprintf("f:%d:%d", at+1, column), d.Pos.String(), "%s\n%s", d.Message, text)
}

// apply makes the mistake in a line "key: word" and returns its column.
func (m mistake) apply(line *string) int {
	indent := leading(*line, " ")
	switch {
	case m.value != "":
		start := strings.TrimSuffix(*line, "word")
		*line = start + m.value
		return len(start) + m.column
	case m.column == 0:
		*line = indent + m.line
		return 1
	}
	*line = indent + m.line
	return len(indent) + m.column
}

// A mistake is found where it was made, whatever valid text surrounds it.
func FuzzMistake(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(requireFound)
}
