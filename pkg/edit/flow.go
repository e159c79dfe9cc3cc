package edit

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// addFlow writes new entries after the last in braces or brackets that stays: on lines of
// their own if that one has its own.
func (e *editor) addFlow(p place, plan plan) {
	if len(plan.added) == 0 {
		return
	}
	last := plan.steps[plan.last]
	var texts []string
	for _, f := range plan.added {
		text := e.inline(f.Value)
		if p.node.Kind == source.Map {
			text = e.inline(&source.Node{Kind: source.String, Text: f.Key}) + ": " + text
		}
		texts = append(texts, text)
		e.comment(e.comments[f.Value])
	}
	end := last.value.end
	margin, own := e.ownLine(last.start)
	rest := e.text[end:lineEnd(e.text, end)]
	if !own || !endsLine(rest) {
		separator := ", "
		if own {
			separator = "," + e.eol + margin
		}
		e.insert(end, separator+strings.Join(texts, separator))
		return
	}
	comma := strings.HasPrefix(strings.TrimLeft(rest, " "), ",")
	if !comma {
		e.insert(end, ",")
	}
	for i, text := range texts {
		if comma || i+1 < len(texts) {
			texts[i] = text + ","
		}
		texts[i] = margin + texts[i]
	}
	e.insertLines(lineEnd(e.text, end), texts)
}

// ownLine returns the indentation of the line that an entry starts, if it starts one.
func (e *editor) ownLine(at int) (margin string, own bool) {
	margin = e.text[lineStart(e.text, at):at]
	return margin, strings.Trim(margin, " \t") == "" && lineStart(e.text, at) > 0
}

// endsLine reports whether at most a comma and a comment follow an entry in its line.
func endsLine(rest string) bool {
	rest = strings.TrimLeft(rest, " \t")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, ","), " \t")
	return rest == "" || rest[0] == '#'
}

// cutFlow removes entries in braces or brackets with their commas.
func (e *editor) cutFlow(plan plan) {
	for i := 0; i < len(plan.steps); i++ {
		if !plan.steps[i].gone {
			continue
		}
		first := i
		for i+1 < len(plan.steps) && plan.steps[i+1].gone {
			i++
		}
		e.cutRun(plan, first, i)
	}
}

// cutRun removes the entries first to last, around which others stay.
func (e *editor) cutRun(plan plan, first, last int) {
	start, end := plan.steps[first].start, plan.steps[last].value.end
	rest := e.text[end:lineEnd(e.text, end)]
	_, own := e.ownLine(start)
	atEnd := last+1 == len(plan.steps)
	comma := strings.HasPrefix(e.text[e.space(end):], ",")
	switch {
	case own && endsLine(rest):
		e.cut(previousEnd(e.text, start), lineEnd(e.text, end))
		if atEnd && !comma {
			before := e.space(plan.steps[first-1].value.end)
			e.cut(before, before+1)
		}
	case !atEnd && !strings.Contains(e.text[end:plan.steps[last+1].start], "#"):
		e.cut(start, plan.steps[last+1].start)
	case atEnd && !strings.Contains(e.text[plan.steps[first-1].value.end:start], "#"):
		e.cut(plan.steps[first-1].value.end, end)
	case atEnd:
		e.cut(start, end)
	default:
		e.cut(start, e.space(end)+1)
	}
}
