package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/source"
)

// finding is what one value does to the VMs and objects that inherit it.
type finding struct {
	findingKey
	names []string
}

// findingKey is what the VMs of a finding share.
type findingKey struct {
	pos     source.Pos
	level   impact.Level
	code    impact.Code
	key     string // of the values, such as "memory"
	reason  string
	advice  string
	warning bool
	gate    string // the severity of what the gate reports; empty for causes
}

// findings returns the causes by place, the worst first: a value that many VMs
// inherit is one finding.
func (p Plan) findings() []finding {
	var out []finding
	index := map[findingKey]int{}
	for _, list := range [][]plan.Verdict{p.VMs, p.Objects} {
		for i := range list {
			for j := range list[i].Causes {
				key, name := p.keyOf(&list[i], &list[i].Causes[j]), title(list[i].ID)
				at, ok := index[key]
				if !ok {
					at = len(out)
					index[key] = at
					out = append(out, finding{findingKey: key})
				}
				if f := &out[at]; len(f.names) == 0 || f.names[len(f.names)-1] != name {
					f.names = append(f.names, name)
				}
			}
		}
	}
	for _, n := range p.GateNotes() {
		out = append(out, n.finding())
	}
	slices.SortStableFunc(out, func(a, b finding) int {
		return cmp.Or(cmp.Compare(weight(b.gate == blocks, b.level), weight(a.gate == blocks, a.level)),
			strings.Compare(a.pos.File, b.pos.File),
			cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	return out
}

// blocks is the severity of what the gate does not let pass.
const blocks = "error"

// finding returns a note as a finding.
func (n *GateNote) finding() finding {
	key := findingKey{pos: n.Pos, level: n.Level, code: n.Code, reason: n.Text, gate: "note"}
	switch {
	case n.Blocks:
		key.gate = blocks
	case n.Code == gate.CodeStage:
		key.gate = "warning"
	}
	if n.Line != "" {
		key.advice = "write `" + n.Line + "`"
	}
	return finding{key, n.Names}
}

func (p Plan) keyOf(v *plan.Verdict, c *impact.Cause) findingKey {
	key := findingKey{
		level: c.Level, code: c.Code, key: c.Key, reason: c.Reason, advice: c.Advice, warning: c.Warning,
	}
	if p.Place != nil {
		key.pos = p.Place(v.ID, c.Key)
	}
	return key
}

// message returns a finding in one line, such as
// "restart: memory: more than can be plugged in; prod/web01, prod/web02 and 7 more".
func (f *finding) message() string {
	text := levelWords(f.level) + ": "
	switch {
	case f.gate != "":
		text = "gate: "
	case f.code == plan.CodeAdopted:
		text = ""
	case f.level == impact.None:
		text = "dangerous later: "
	}
	if f.key != "" {
		text += f.key + ": "
	}
	text += f.reason
	if f.advice != "" {
		text += "; " + f.advice
	}
	return text + "; " + firstOf(f.names, fewest)
}

// severity returns the level that SARIF and GitHub have for a finding: an error for what
// loses objects or fails, a warning for what interrupts, else a note.
func (f *finding) severity() string {
	switch {
	case f.gate != "":
		return f.gate
	case f.level >= impact.Refused:
		return "error"
	case f.level >= impact.Restart || f.warning:
		return "warning"
	}
	return "note"
}

// warning is a cause that is dangerous later.
type warning struct {
	Verdict *plan.Verdict
	Cause   *impact.Cause
}

// warnings returns all warnings, those of VMs first.
func (p Plan) warnings() []warning {
	var out []warning
	for _, list := range [][]plan.Verdict{p.VMs, p.Objects} {
		for i := range list {
			for j := range list[i].Causes {
				if c := &list[i].Causes[j]; c.Warning {
					out = append(out, warning{&list[i], c})
				}
			}
		}
	}
	return out
}
