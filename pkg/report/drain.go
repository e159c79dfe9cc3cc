package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/status"
)

// Drain is what a drain of a node does to the VMs on it, with the facts that a reader needs to assess it.
type Drain struct {
	*status.Drain
	// Cluster is where the node is.
	Cluster Side
	// Unknown is what the state of the cluster leaves open as a whole, in a few words each.
	Unknown []string
	// Verbose adds the code of each outcome, and what it depends on, to the text for users.
	Verbose bool
	// Terminal is what the text is written to.
	Terminal Terminal
}

// Reaches reports whether a VM has this outcome or a worse one. Nothing reaches [status.OutcomeMoves].
func (d Drain) Reaches(o status.Outcome) bool { return o > status.OutcomeMoves && d.Worst() >= o }

// outcomeColors are the colors of outcomes, which are always written in words also.
var outcomeColors = map[status.Outcome]sgr{
	status.OutcomeMoves: green, status.OutcomeStops: yellow, status.OutcomeBlocks: alarm,
}

// Headline returns what a drain does in one line with counts, such as
// "5 VMs on w1: 2 block its drain, 1 stops, 2 move".
func (d Drain) Headline() string {
	out := problems.Count(len(d.VMs), "VM") + " on " + d.Node
	if len(d.VMs) == 0 {
		out = "no VM on " + d.Node
	}
	var parts []string
	all := status.Outcomes()
	slices.Reverse(all)
	for _, o := range all {
		if n := d.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcomeWords(o, n)))
		}
	}
	if parts != nil {
		out += ": " + strings.Join(parts, ", ")
	}
	if d.IsApproximate() || len(d.Unknown) > 0 {
		out = "[?] " + out
	}
	return out
}

// outcomeWords returns an outcome of n VMs as a verb.
func outcomeWords(o status.Outcome, n int) string {
	verb := o.String()
	if n != 1 {
		verb = strings.TrimSuffix(verb, "s")
	}
	if o == status.OutcomeBlocks {
		verb += " its drain"
	}
	return verb
}

// evictionSays returns the reason of an outcome, with its mark.
func evictionSays(v *status.Eviction) string {
	if len(v.Unknown) > 0 {
		return "[?] " + v.Says
	}
	return v.Says
}

// DrainText writes a drain for users: where the node is, a line for each VM with what to do about it, the worst first,
// and the headline as the last line. See [problems.Visible] for what is not printable.
func DrainText(w io.Writer, d Drain) error {
	t := &planText{look: d.Terminal, verbose: d.Verbose}
	t.fact("node", d.Node)
	t.fact("cluster", d.Cluster.Title())
	t.facts(d.Cluster.Facts())
	t.fact("unknown:", strings.Join(d.Unknown, "; "))
	if len(d.VMs) > 0 {
		t.out.WriteByte('\n')
	}
	width := 0
	for i := range d.VMs {
		width = min(max(width, utf8.RuneCountInString(title(d.VMs[i].ID))), widest)
	}
	for i := range d.VMs {
		t.eviction(&d.VMs[i], width)
	}
	t.notes(d.Notes)
	t.heading(outcomeColors[d.Worst()], d.Headline())
	_, err := io.WriteString(w, t.out.String())
	return err
}

// eviction writes the lines of one VM.
func (t *planText) eviction(v *status.Eviction, width int) {
	t.line(outcomeColors[v.Outcome], fmt.Sprintf("%-6s", v.Outcome),
		fmt.Sprintf("  %-*s  %s", width, title(v.ID), evictionSays(v)))
	if v.Advice != "" { // not cut to the width of the terminal: it contains commands
		t.out.WriteString(t.look.paint(dim, "        advice: ") + problems.Visible(v.Advice) + "\n")
	}
	if !t.verbose {
		return
	}
	for _, unknown := range v.Unknown {
		t.line(dim, "        unknown: ", unknown)
	}
	t.line(dim, "        code: ", string(v.Code))
}

// DrainMarkdown writes a drain as a comment: the headline, and a table of the VMs, the worst first. A table that is too
// long for a comment is cut, and the comment mentions it.
func DrainMarkdown(w io.Writer, d Drain) error {
	m := &planMarkdown{amount: amount{names: true, lines: 100, width: 300}}
	m.write("### " + m.prose(d.Headline()) + "\n\n" + m.code(d.Cluster.Title()))
	if d.Cluster.Exported != "" {
		m.write(", exported " + m.code(d.Cluster.Exported))
	}
	m.write("\n")
	if len(d.Unknown) > 0 {
		m.write("\nUnknown: " + m.prose(strings.Join(d.Unknown, "; ")) + "\n")
	}
	if len(d.VMs) > 0 {
		m.write("\n| | VM | why | what to do |\n|---|---|---|---|\n")
	}
	for i := range d.VMs {
		if m.out.Len() > mostTable {
			m.write(fmt.Sprintf("\nand %s more\n", problems.Count(len(d.VMs)-i, "VM")))
			break
		}
		v := &d.VMs[i]
		m.write(fmt.Sprintf("| **%s** | %s | %s | %s |\n",
			v.Outcome, mdCell(title(v.ID), longestName), m.prose(evictionSays(v)), m.prose(v.Advice)))
	}
	m.notes(d.Notes)
	_, err := io.WriteString(w, m.out.String())
	return err
}

// DrainDocument is a drain as JSON. Later versions may add keys, outcomes and codes, and remove none.
type DrainDocument struct {
	// The node that would be drained.
	Node string `json:"node"`
	// The VMs on the node, worst first, then by namespace and name.
	VMs []DrainVM `json:"vms"`
	// Facts about the whole, such as how long the migrations can take.
	Notes []string `json:"notes"`
	// Gaps in the state of the cluster as a whole.
	Unknown []string `json:"unknown"`
	// The drain in counts.
	Summary DrainSummary `json:"summary"`
	// Where the node is.
	Cluster Side `json:"cluster"`
}

// DrainSummary is a drain in counts.
type DrainSummary struct {
	// The drain in one line, for users.
	Headline string `json:"headline"`
	// The worst outcome of all VMs; "moves" if there are none.
	Worst status.Outcome `json:"worst"`
	// The number of VMs by outcome.
	VMs map[status.Outcome]int `json:"vms"`
}

// DrainVM is what a drain does to one VM.
type DrainVM struct {
	PlanObject
	// What happens to the VM.
	Outcome status.Outcome `json:"outcome"`
	// The reason, from a closed list.
	Code status.DrainCode `json:"code"`
	// The reason as the rest of a sentence about the VM.
	Says string `json:"says"`
	// What to do.
	Advice string `json:"advice,omitempty"`
	// What the outcome depends on, and the state of the cluster lacks.
	Unknown []string `json:"unknown,omitempty"`
}

// DrainJSON writes a [DrainDocument], for which `vmrender schema drain` prints the schema. Lists may be empty but are
// never null.
func DrainJSON(w io.Writer, d Drain) error { return Indented(w, d.Document()) }

// Document returns the drain as it is in JSON.
func (d Drain) Document() DrainDocument {
	doc := DrainDocument{
		Node: d.Node, VMs: []DrainVM{}, Notes: notNil(d.Notes), Unknown: notNil(d.Unknown), Cluster: d.Cluster,
		Summary: DrainSummary{Headline: d.Headline(), Worst: d.Worst(), VMs: d.Counts},
	}
	for i := range d.VMs {
		v := &d.VMs[i]
		doc.VMs = append(doc.VMs, DrainVM{
			PlanObject: PlanObject(v.ID), Outcome: v.Outcome, Code: v.Code, Says: v.Says, Advice: v.Advice, Unknown: v.Unknown,
		})
	}
	return doc
}
