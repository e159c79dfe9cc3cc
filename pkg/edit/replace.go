package edit

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// replace writes a new value over the whole of an old one.
func (e *editor) replace(p place, to *source.Node) {
	written := p.start < p.end
	below := strings.Contains(e.text[p.after:p.start], "\n")
	head, lines := e.layout(p, to, below)
	end := lineEnd(e.text, p.end)
	switch {
	case !written && p.flow && !p.colon:
		e.insert(p.after, ": "+head)
	case !written && head != "":
		e.insert(p.after, " "+head)
	case written && below:
		from := previousEnd(e.text, p.start)
		if head != "" {
			e.insert(p.after, " "+head)
		}
		if head != "" && len(lines) > 0 { // comments between would be text of the literal block
			from = lineEnd(e.text, p.after)
		}
		e.cut(from, end)
	case written && head == "":
		e.cut(p.after, p.end)
	case written:
		e.splices = append(e.splices, splice{p.start, p.end, head})
	}
	e.insertLines(end, lines)
}

// layout returns how a value is written in the place of another one. below means that the
// old one is not in the line of its key.
func (e *editor) layout(p place, to *source.Node, below bool) (head string, lines []string) {
	at := p.start
	if below || p.start == p.end {
		at = p.after + 1
	}
	l := layout{col: p.parent, step: e.step, fill: width - column(e.text, min(at, len(e.text))), plain: p.parent == 0}
	switch {
	case to.Kind == source.String && !strings.Contains(to.Text, "\n") && p.start < p.end:
		return e.requoted(p, to), nil
	case p.flow:
		return e.inline(to), nil
	case p.parent < 0:
		l.fill = -1
		return l.afterDash(to)
	case e.text[p.after-1] == '-':
		return l.afterDash(to)
	}
	return l.value(to)
}

// requoted returns a string with the quotes of the one that it replaces.
func (e *editor) requoted(p place, n *source.Node) string {
	switch c := e.text[p.start]; {
	case e.json:
		return e.inline(n)
	case c == '\'' && isSingle(n.Text):
		return singleQuoted(n.Text)
	case c == '"':
		return doubleQuoted(n.Text)
	}
	return str(n.Text, p.flow)
}

// inline returns a value within brackets, as JSON if the text is JSON.
func (e *editor) inline(n *source.Node) string {
	if e.json {
		return inJSON(n)
	}
	return Flow(n)
}

// addBlock writes new entries after the last of a block that stays.
func (e *editor) addBlock(p place, plan plan) {
	if len(plan.added) == 0 {
		return
	}
	last := plan.steps[plan.last]
	at := lineEnd(e.text, last.value.end)
	col := column(e.text, last.start)
	for _, f := range plan.added {
		l := layout{col: col, step: e.step, fill: plan.room(f.Value.Kind)}
		lines := l.entry(f)
		if p.node.Kind == source.List {
			lines = l.item(f.Value)
		}
		if plan.last > 0 && e.spaced(last.start) {
			e.insert(at, e.eol)
		}
		e.insertLines(at, commented(lines, e.comments[f.Value], col))
	}
}

// room returns how many columns there are for a new collection in flow style: none if the
// last one of its kind is a block.
func (p *plan) room(kind source.Kind) int {
	for _, s := range slices.Backward(p.steps) {
		if n := s.value.node; s.value.mark == "" && n != nil && n.Kind == kind && len(children(n)) > 0 {
			if s.value.block {
				return -1
			}
			break
		}
	}
	return width
}

// commented returns the lines of an entry with a comment, in the same line if it fits.
func commented(lines []string, comment string, col int) []string {
	switch {
	case comment == "":
		return lines
	case len(lines) == 1 && !strings.Contains(comment, "\n") && len(lines[0])+len(" # ")+len(comment) <= width:
		return []string{lines[0] + " # " + comment}
	}
	return append(commentLines(comment, strings.Repeat(" ", col)), lines...)
}

// cutBlock removes entries with their lines and the comments above them.
func (e *editor) cutBlock(plan plan) {
	for i := 0; i < len(plan.steps); i++ {
		s := plan.steps[i]
		if !s.gone {
			continue
		}
		if leadingSpaces(e.text[lineStart(e.text, s.start):s.start]) == e.text[lineStart(e.text, s.start):s.start] {
			above := 0
			if i > 0 {
				above = nextLine(e.text, plan.steps[i-1].value.end)
			}
			e.cutLines(s, above, i+1 == len(plan.steps))
			continue
		}
		for i+1 < len(plan.steps) && plan.steps[i+1].gone {
			i++
		}
		e.cutCompact(s.start, plan.steps[i].value.end, plan.steps[i+1].start)
	}
}

// cutLines removes an entry that starts its line, and the blank lines above it unless
// that joins its neighbors. The comment above the first key of a document stays: it may be
// that of the file. above is the offset of the line after the entry before, or 0.
func (e *editor) cutLines(s step, above int, last bool) {
	start, end := lineStart(e.text, s.start), lineEnd(e.text, s.value.end)
	if above > 0 || s.start > start {
		start = e.lead(s.start)
	}
	below := e.blanksBelow(end)
	switch {
	case above == 0 && !last && start > 0:
		end = below
	case above > 0 && (last || below > end):
		start = max(above, e.blanksAbove(start))
	}
	if start == 0 {
		e.cut(0, nextLine(e.text, end))
		return
	}
	e.cut(previousEnd(e.text, start), end)
}

// cutCompact removes entries of which the first follows a dash in its line.
func (e *editor) cutCompact(start, end, next int) {
	if strings.Contains(e.text[end:next], "#") {
		e.cut(start, lineEnd(e.text, end))
		return
	}
	e.cut(start, next)
}

// lead returns the offset of the line at which the comments of an entry start: those above
// it, in its column.
func (e *editor) lead(at int) int {
	start := lineStart(e.text, at)
	margin := e.text[start:at]
	for start > 0 {
		above := lineStart(e.text, start-1)
		if !strings.HasPrefix(e.text[above:], margin+"#") {
			break
		}
		start = above
	}
	return start
}

// spaced reports whether an entry and its comments follow a blank line.
func (e *editor) spaced(at int) bool {
	start := e.lead(at)
	return e.blanksAbove(start) < start
}

// blanksAbove returns the offset of the first of the blank lines above a line.
func (e *editor) blanksAbove(start int) int {
	for start > 0 {
		above := lineStart(e.text, start-1)
		if !isBlank(e.text[above : start-1]) {
			break
		}
		start = above
	}
	return start
}

// blanksBelow returns the end of the last of the blank lines below the line that ends at end.
func (e *editor) blanksBelow(end int) int {
	for {
		at := nextLine(e.text, end)
		next := lineEnd(e.text, at)
		if at == len(e.text) || !isBlank(e.text[at:next]) {
			return end
		}
		end = next
	}
}

func isBlank(line string) bool { return strings.Trim(line, " \t\r") == "" }

// column returns the column of an offset, counted from 0, in bytes.
func column(text string, at int) int { return at - lineStart(text, at) }

// previousEnd returns the offset of the line break before the line of an offset.
func previousEnd(text string, at int) int {
	start := lineStart(text, at)
	return lineEnd(text, lineStart(text, max(0, start-1)))
}
