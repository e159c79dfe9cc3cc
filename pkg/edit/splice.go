package edit

import (
	"cmp"
	"slices"
	"strings"
)

// splice replaces a part of the text.
type splice struct {
	start, end int
	text       string
}

func (e *editor) insert(at int, text string) { e.splices = append(e.splices, splice{at, at, text}) }

func (e *editor) cut(start, end int) { e.splices = append(e.splices, splice{start, end, ""}) }

// insertLines inserts lines after the line break that is at an offset, or would be.
func (e *editor) insertLines(at int, lines []string) {
	for _, line := range lines {
		e.insert(at, e.eol+line)
	}
}

// apply returns the text with the splices. Of those at one offset, the first ones come
// first; where two remove the same, the second only adds.
func (e *editor) apply() string {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	done := 0
	for _, s := range e.splices {
		if s.start > done {
			b.WriteString(e.text[done:s.start])
		}
		b.WriteString(s.text)
		done = max(done, s.start, s.end)
	}
	b.WriteString(e.text[done:])
	return b.String()
}
