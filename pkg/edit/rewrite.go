package edit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// editor compares a document's tree with the one that it should have, next to the text,
// and collects the splices that lead from one to the other.
type editor struct {
	reader
	splices  []splice
	together bool      // values with an anchor may change with all their aliases
	shared   []problem // these values
	eol      string
	json     bool // the text is JSON, and stays JSON
	step     int  // columns that a level is indented
	comments map[*source.Node]string
	line     int // offset of the block entry that is being edited, where a comment has its place
}

func newEditor(file *source.File, text string, comments map[*source.Node]string) *editor {
	e := &editor{reader: reader{file: file, text: text}, eol: "\n", step: dash, comments: comments}
	e.json = json.Valid([]byte(text))
	if strings.Contains(text, "\r\n") {
		e.eol = "\r\n"
	}
	return e
}

// document edits a document; alone means that the text has no other.
func (e *editor) document(old, to *source.Node, alone bool) {
	if old.Kind != source.Null {
		p := e.locate(place{node: old, after: e.offset(old), parent: -dash})
		e.step = e.indentation(p)
		e.value(p, to, "")
		return
	}
	if !alone || strings.Trim(old.Text, "~") != "" {
		e.refuse(e.offset(old), "", "this document is empty; write its first key manually")
		return
	}
	if e.text != "" && !e.json && !strings.HasSuffix(e.text, "\n") {
		e.insert(len(e.text), e.eol)
	}
	e.insert(len(e.text), strings.ReplaceAll(Block(to, 0), "\n", e.eol))
}

// indentation returns how many columns the first block map that is a value is indented.
func (e *editor) indentation(p place) int {
	if p.block && p.node.Kind == source.Map {
		entries, _ := e.entries(p)
		for _, entry := range entries {
			if v := entry.value; v.block && v.node.Kind == source.Map && v.mark == "" {
				return column(e.text, v.start) - v.parent
			}
		}
	}
	return dash
}

// value replaces the value at a place.
func (e *editor) value(p place, to *source.Node, path string) {
	old := p.node
	switch {
	case old.Equal(to) || e.lost:
	case p.mark != "" && (p.mark[0] == '!' || !e.together):
		e.refuse(p.start, path, refusal(p.mark))
	case p.mark != "":
		e.share(p.start, path, refusal(p.mark))
		if p.mark[0] == '&' {
			p.mark = ""
			e.value(p, to, path)
		}
	case old.Kind != to.Kind:
		e.replace(p, to)
	case old.Kind == source.Map && len(old.Fields) > 0 && len(to.Fields) > 0:
		e.collection(p, to, e.mapPlan(p, to, path))
	case old.Kind == source.List && len(old.Items) > 0 && len(to.Items) > 0:
		e.collection(p, to, e.listPlan(p, to, path))
	default:
		e.replace(p, to)
	}
}

// share records that the text at an offset changes only if all values that share it do, which is known at the end.
func (e *editor) share(at int, path, message string) {
	if !e.together {
		e.refuse(at, path, message)
		return
	}
	e.shared = append(e.shared, e.problem(at, path, message))
}

// collection replaces the entries of a map or list by the planned ones.
func (e *editor) collection(p place, to *source.Node, plan plan) {
	if e.lost {
		return
	}
	if !slices.ContainsFunc(plan.steps, func(s step) bool { return !s.gone }) {
		e.replace(p, to)
		return
	}
	outer := e.line
	for _, s := range plan.steps {
		if s.gone && s.value.mark != "" && s.value.mark[0] == '&' {
			e.refuse(s.value.start, s.path, refusal(s.value.mark))
		}
		if s.gone || s.to == nil || s.value.node.Equal(s.to) {
			continue
		}
		if !s.value.flow {
			e.line = s.start
		}
		e.comment(e.comments[s.to])
		e.value(s.value, s.to, s.path)
	}
	e.line = outer
	switch {
	case e.overflows(p, to):
		e.expand(p, plan)
	case plan.steps[0].value.flow:
		e.cutFlow(plan)
		e.addFlow(p, plan)
	default:
		e.cutBlock(plan)
		e.addBlock(p, plan)
	}
}

// comment writes a comment above the block entry that is being edited, unless it is there.
func (e *editor) comment(text string) {
	at := lineStart(e.text, e.line)
	lines := commentLines(text, leadingSpaces(e.text[at:]))
	if block := strings.Join(lines, e.eol) + e.eol; text != "" && !e.json && !strings.HasSuffix(e.text[:at], block) {
		e.insert(at, block)
	}
}

// commentLines returns a comment as lines of its own.
func commentLines(text, margin string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(margin+"# "+strings.TrimSuffix(line, "\n"), " "))
	}
	return lines
}

func leadingSpaces(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// refusal returns the problem of a value with an anchor, alias or tag.
func refusal(mark string) string {
	what := map[byte]string{'&': "the anchor ", '*': "the alias ", '!': "the tag "}[mark[0]]
	return "this value has " + what + mark + " and is not changed by a program; write it out without, or edit it manually"
}
