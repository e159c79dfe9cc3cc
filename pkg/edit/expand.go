package edit

import (
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/source"
)

// overflows reports whether a collection in brackets, outside of any other, fits in its
// line but will not.
func (e *editor) overflows(p place, to *source.Node) bool {
	line := e.text[lineStart(e.text, p.start):p.end]
	return !p.block && !p.flow && p.parent >= 0 && !strings.Contains(e.text[p.after:p.end], "\n") &&
		utf8.RuneCountInString(line) <= width && column(e.text, p.start)+utf8.RuneCountInString(Flow(to)) > width
}

// expand writes each entry of a collection in brackets on its own line. It replaces only what
// separates the entries; a comment behind the collection stays in the line of its key.
func (e *editor) expand(p place, plan plan) {
	l := layout{col: p.parent + e.step, step: e.step, fill: width}
	done, dashes := p.after, ""
	if p.node.Kind == source.List {
		dashes = "- "
	}
	separator := e.text[p.end:lineEnd(e.text, p.end)] + e.eol + strings.Repeat(" ", l.col) + dashes
	if e.text[p.after-1] == '-' {
		l.col = column(e.text, p.start)
		done, separator = p.start, dashes
	} else {
		e.cut(p.end, lineEnd(e.text, p.end))
	}
	for _, s := range plan.steps {
		if s.gone {
			continue
		}
		e.splices = append(e.splices, splice{done, s.start, separator})
		done, separator = s.value.end, e.eol+strings.Repeat(" ", l.col)+dashes
	}
	e.cut(done, p.end)
	for _, f := range plan.added {
		lines := l.entry(f)
		if dashes != "" {
			lines = l.item(f.Value)
		}
		e.insertLines(p.end, commented(lines, e.comments[f.Value], l.col))
	}
}
