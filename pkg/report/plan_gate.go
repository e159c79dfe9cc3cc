package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

// GateNote is what the fleet's gate reports about the changes of some VMs.
type GateNote struct {
	Code impact.Code
	// Blocks is true if the sync must not happen as it is.
	Blocks bool
	Level  impact.Level
	Text   string
	// Line is the line for the entry of the VMs that gives the approvals, or empty.
	Line string
	// Pos is the place of the entry, or of its approvals; empty if there are no values
	// files.
	Pos   source.Pos
	Names []string // of the VMs

	shared bool // whether the line is for all of the VMs, in fleet.yaml
}

// GateNotes returns what the gate reports, what blocks first, then the worst. Replicas share
// a note, and so do VMs that one token approves.
func (p Plan) GateNotes() []GateNote {
	return p.notesOf(p.Shared())
}

// notesOf returns the notes with the lines of tokens that are for several VMs, and of every other VM.
func (p Plan) notesOf(tokens []SharedApproval) []GateNote {
	out := append(p.limitNotes(), p.holdNotes()...)
	of := map[*plan.Verdict]*SharedApproval{}
	for i := range tokens {
		for _, v := range tokens[i].VMs {
			of[v] = &tokens[i]
		}
	}
	for i := range p.VMs {
		v := &p.VMs[i]
		if v.Gate == nil {
			continue
		}
		for _, n := range gateNotes(v) {
			n.Pos = p.placeOf(v, &n)
			if s := of[v]; s != nil && n.Line != "" {
				n.Line, n.Pos, n.shared = s.Line(), s.Pos, true
				n.Text += "; one token in `policy` of the fleet approves all that have this cause"
			}
			out = addNote(out, n, title(v.ID))
		}
	}
	markConflicts(out)
	slices.SortStableFunc(out, func(a, b GateNote) int {
		return cmp.Or(cmp.Compare(weight(b.Blocks, b.Level), weight(a.Blocks, a.Level)),
			strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return out
}

// placeOf returns the place that a note on a VM is about: in its entry, or the tokens of the fleet if the entry itself
// has no approval.
func (p Plan) placeOf(v *plan.Verdict, n *GateNote) source.Pos {
	if p.Place == nil {
		return source.Pos{}
	}
	at := p.Place(v.ID, n.key())
	if n.Code == gate.CodeApproved && v.Gate.Removal == "" && at == p.Place(v.ID, "") {
		if fleet := p.Place(manifest.ID{}, "policy.approved"); fleet.Line > 0 {
			return fleet
		}
	}
	return at
}

// alone returns the notes of the VMs that one token approves with their own lines, each of which approves one VM.
func (p Plan) alone() []GateNote {
	all := p.GateNotes()
	return slices.DeleteFunc(p.notesOf(nil), func(n GateNote) bool {
		return n.Line == "" || slices.ContainsFunc(all, func(o GateNote) bool { return o.Line == n.Line })
	})
}

// replicasDiffer is the note on lines for the same entry that differ.
const replicasDiffer = "; the replicas of the entry are not the same in the cluster, so that no line approves both: " +
	"let an earlier commit reach all of them first"

// markConflicts marks the lines that are for the same place, and so exclude each other.
func markConflicts(notes []GateNote) {
	lines := map[source.Pos]string{}
	conflicts := map[source.Pos]bool{}
	for _, n := range notes {
		if n.Line != "" && n.Pos.Line > 0 && !n.shared {
			conflicts[n.Pos] = conflicts[n.Pos] || lines[n.Pos] != "" && lines[n.Pos] != n.Line
			lines[n.Pos] = n.Line
		}
	}
	for i := range notes {
		if n := &notes[i]; n.Line != "" && conflicts[n.Pos] && !n.shared {
			n.Text += replicasDiffer
		}
	}
}

// unneeded returns notes on the VMs that need no approval, with what would approve
// their change: a cluster that has less information may require it.
func (p Plan) unneeded() []GateNote {
	var out []GateNote
	for i := range p.VMs {
		v := &p.VMs[i]
		if g := v.Gate; g != nil && len(g.Approvals) == 0 && g.Token != "" {
			n := GateNote{Level: v.Level, Text: "nothing to approve; an approval would be " + g.Token}
			out = addNote(out, n, title(v.ID))
		}
	}
	return out
}

func addNote(notes []GateNote, n GateNote, name string) []GateNote {
	i := slices.IndexFunc(notes, func(o GateNote) bool {
		return o.Code == n.Code && o.Text == n.Text && o.Line == n.Line && o.Pos == n.Pos
	})
	if i < 0 {
		i = len(notes)
		notes = append(notes, n)
	}
	notes[i].Names = append(notes[i].Names, name)
	return notes
}

// key returns the key of the entry that a note is about.
func (n *GateNote) key() string {
	switch n.Code {
	case gate.CodeStage:
		return "stage"
	case gate.CodeRemoval:
		return "lifecycle.removal"
	}
	return "approve"
}

// gateNotes returns what the gate reports about one VM.
func gateNotes(v *plan.Verdict) []GateNote {
	g := v.Gate
	var out []GateNote
	if g.Exceeds > impact.None {
		out = append(out, GateNote{
			Code: gate.CodeCeiling, Blocks: true, Level: g.Exceeds, Text: fmt.Sprintf(
				"%s is above the fleet's policy.maxImpact, %s, which no approval lifts: make a milder change, "+
					"or raise the limit in an earlier commit", levelWords(g.Exceeds), levelWords(g.Max)),
		})
	}
	switch g.Removal {
	case gate.RemovalMissing:
		out = append(out, GateNote{
			Code: gate.CodeRemoval, Blocks: true, Level: v.Level,
			Text: "the removal is not approved: put the entry back with `lifecycle: {removal: approved}`, " +
				"and remove it in a commit after the one that is synced",
		})
	case gate.RemovalApproved:
		out = append(out, GateNote{
			Code: gate.CodeApproved, Level: v.Level,
			Text: "approved: an earlier commit has set `lifecycle: {removal: approved}`",
		})
	}
	if len(g.Approvals) > 0 {
		out = append(out, approvalNotes(g)...)
	}
	if len(g.Staged) > 0 {
		out = append(out, GateNote{
			Code: gate.CodeStage, Level: impact.Restart, Text: strings.Join(g.Staged, ", ") +
				": `stage: true` applies the change without approval; " +
				"it takes effect at the next start, regardless of its cause",
		})
	}
	return out
}

// approvalNotes returns the notes on the approvals that a VM needs.
func approvalNotes(g *gate.Gate) []GateNote {
	var out []GateNote
	open := map[gate.ApprovalState][]string{}
	worst := impact.None
	for i := range g.Approvals {
		a := &g.Approvals[i]
		if worst = max(worst, a.Level); a.Problem != "" {
			out = append(out, GateNote{
				Code: gate.CodeUnapprovable, Blocks: true, Level: a.Level,
				Text: "an approval is missing, and none can be given: " + riskOf(a) + ": " + a.Problem,
			})
			continue
		}
		open[a.State] = append(open[a.State], riskOf(a))
	}
	n := GateNote{Code: gate.CodeStale, Blocks: true, Level: worst, Line: g.Line()}
	stale, missing := strings.Join(open[gate.Stale], ", "), strings.Join(open[gate.Missing], ", ")
	switch {
	case stale != "" && missing != "":
		n.Text = "an approval is for another change, " + stale + ", and one is missing: " + missing
	case stale != "":
		n.Text = "the approval is for another change: " + stale
	case missing != "":
		n.Code, n.Text = gate.CodeMissing, "an approval is missing: "+missing
	case len(out) > 0:
		return out
	default:
		n = GateNote{Code: gate.CodeApproved, Level: worst, Text: "approved: " + strings.Join(open[gate.Given], ", ")}
	}
	return append(out, n)
}

// riskOf returns the risk of an approval, with its level if that is more specific.
func riskOf(a *gate.Approval) string {
	if level := levelWords(a.Level); a.Risk != gate.RiskGate && !strings.HasPrefix(level, string(a.Risk)) {
		return string(a.Risk) + " (" + level + ")"
	}
	return string(a.Risk)
}

// GateHeadline returns what the gate reports about the plan, in a few words. It is empty if
// no change is checked.
func (p Plan) GateHeadline() string {
	limits := p.holdHeadline()
	if n := len(p.Limits); n > 0 {
		if limits != "" {
			limits += ", "
		}
		limits += problems.Count(n, "limit") + " exceeded"
	}
	if p.Summary.Gated == 0 {
		return limits
	}
	approved, staged := false, 0
	for i := range p.VMs {
		g := p.VMs[i].Gate
		approved = approved || g != nil && (len(g.Approvals) > 0 || g.Removal != "")
		if g != nil && len(g.Staged) > 0 {
			staged++
		}
	}
	out := "nothing to approve"
	switch {
	case p.Summary.Blocked > 0:
		out = problems.Count(p.Summary.Blocked, "VM") + " not approved"
	case approved:
		out = "approved"
	}
	if staged > 0 {
		out += ", " + problems.Count(staged, "VM") + " staged for the next start"
	}
	if limits != "" {
		out += ", " + limits
	}
	return out
}

// weight orders the parts of a plan: what blocks the sync comes first,
// whatever its level.
func weight(blocks bool, l impact.Level) int {
	if blocks {
		return int(impact.DataLoss) + 1 + int(l)
	}
	return int(l)
}

// place returns where the line of a note belongs.
func (n *GateNote) place() string {
	if n.Pos.File == "" {
		return ""
	}
	return n.Pos.String()
}
