package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// Drill is what a rebuild of all VMs at another site would lose, with the facts that a reader needs to assess it.
type Drill struct {
	*drill.Drill
	// Git is what the rebuild has, and Cluster what there is now.
	Git, Cluster Side
	// Unknown is what the inputs of the whole drill leave open, in a few words each.
	Unknown []string
	// Verbose adds what each loss depends on to the text for users, and the VMs that come back whole.
	Verbose bool
	// Terminal is what the text is written to.
	Terminal Terminal
}

// DrillFormat is an output format for a [Drill].
type DrillFormat struct {
	Name  string // such as "markdown"
	Write func(io.Writer, Drill) error
}

// DrillFormats returns all formats, the one for users first.
func DrillFormats() []DrillFormat {
	return []DrillFormat{{"text", DrillText}, {"markdown", DrillMarkdown}, {"json", DrillJSON}}
}

// String returns the format's name.
func (f DrillFormat) String() string { return f.Name }

// Reaches reports whether there is a loss of this kind or a worse one. Nothing reaches [drill.Nothing].
func (d Drill) Reaches(k drill.Kind) bool { return k > drill.Nothing && d.Worst() >= k }

// Headline returns the score in one line, such as
// "3 of 5 VMs come back whole (60%): 1 loses something, 1 may lose something".
func (d Drill) Headline() string {
	s := d.Score
	if s.VMs == 0 {
		return "no VM"
	}
	verb := "come"
	if s.VMs == 1 {
		verb = "comes"
	}
	out := fmt.Sprintf("%d of %s %s back whole (%d%%)", s.Whole, problems.Count(s.VMs, "VM"), verb, s.Percent())
	var parts []string
	if n := s.VMs - s.Whole - s.Unknown; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s something", n, plural(n, "loses", "lose")))
	}
	if s.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d may lose something", s.Unknown))
	}
	if parts != nil {
		out += ": " + strings.Join(parts, ", ")
	}
	if d.IsApproximate() || len(d.Unknown) > 0 {
		out = "[?] " + out
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// scoreRule is how the score is computed.
const scoreRule = "VMs without any loss, divided by all VMs of Git and of the cluster; a loss marked [?] counts"

// worstLosses returns the kinds of losses, worst first.
func worstLosses() []drill.Kind {
	kinds := drill.Kinds()[1:]
	slices.Reverse(kinds)
	return kinds
}

// lossCounts returns numbers by kind, the worst kind first, such as "2 disk, 1 secret".
func lossCounts(counts map[drill.Kind]int) string {
	var parts []string
	for _, k := range worstLosses() {
		if n := counts[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}

// lossReason returns the reason of a loss, with its mark.
func lossReason(l *drill.Loss) string {
	if len(l.Unknown) > 0 {
		return "[?] " + l.Reason
	}
	return l.Reason
}

// losing returns the rebuilds that lose something.
func losing(list []drill.Rebuild) []drill.Rebuild {
	n := slices.IndexFunc(list, func(r drill.Rebuild) bool { return len(r.Losses) == 0 })
	if n < 0 {
		return list
	}
	return list[:n]
}

// lossColor returns the color of a kind of losses, which is always written in words also.
func lossColor(k drill.Kind) sgr {
	switch {
	case k >= drill.State:
		return red
	case k >= drill.Config:
		return yellow
	case k > drill.Nothing:
		return magenta
	}
	return green
}

// DrillText writes a drill for users: the score, a line for each VM with its counts, and for each of its losses, the
// worst first; and what closes the gaps. See [problems.Visible] for what is not printable.
func DrillText(w io.Writer, d Drill) error {
	t := &planText{look: d.Terminal, verbose: d.Verbose}
	t.line(lossColor(d.Worst()), d.Headline())
	t.fact("score", scoreRule)
	t.fact("losses", lossCounts(d.Counts))
	for _, side := range []struct {
		label string
		side  Side
	}{{"git", d.Git}, {"cluster", d.Cluster}} {
		t.fact(side.label, side.side.Title())
		t.facts(side.side.Facts())
	}
	t.fact("unknown:", strings.Join(d.Unknown, "; "))
	shown := losing(d.VMs)
	if d.Verbose {
		shown = d.VMs
	}
	t.rebuilds("", shown, name)
	t.rebuilds("other objects", d.Objects, objectName)
	t.closes(d)
	t.notes(d.Notes)
	_, err := io.WriteString(w, t.out.String())
	return err
}

// rebuilds writes the losses of VMs or other objects, under a title unless that is "".
func (t *planText) rebuilds(title string, shown []drill.Rebuild, name func(manifest.ID) string) {
	if len(shown) > 0 && title != "" {
		t.heading(bold, title)
	}
	for i := range shown {
		r := &shown[i]
		counts := lossCounts(r.Counts())
		if counts == "" {
			counts = drill.Nothing.Meaning()
		}
		t.heading(lossColor(r.Worst()), name(r.ID), ": "+counts)
		width := 0
		for j := range r.Losses {
			width = max(width, utf8.RuneCountInString(r.Losses[j].Kind.String()))
		}
		for j := range r.Losses {
			t.loss(&r.Losses[j], width)
		}
	}
}

// loss writes the lines of one loss.
func (t *planText) loss(l *drill.Loss, width int) {
	t.line(lossColor(l.Kind), fmt.Sprintf("  %-*s", width, l.Kind), "  "+lossReason(l))
	if !t.verbose {
		return
	}
	for _, unknown := range l.Unknown {
		t.line(dim, strings.Repeat(" ", width+4)+"unknown: ", unknown)
	}
}

// advised returns the kinds of all losses, worst first.
func (d Drill) advised() []drill.Kind {
	is := map[drill.Kind]bool{}
	for _, list := range [][]drill.Rebuild{d.VMs, d.Objects} {
		for i := range list {
			for k := range list[i].Counts() {
				is[k] = true
			}
		}
	}
	return slices.DeleteFunc(worstLosses(), func(k drill.Kind) bool { return !is[k] })
}

// closes writes what closes the gaps.
func (t *planText) closes(d Drill) {
	kinds := d.advised()
	if len(kinds) == 0 {
		return
	}
	t.heading(bold, "what closes the gaps")
	width := 0
	for _, k := range kinds {
		width = max(width, len(k.String()))
	}
	for _, k := range kinds { // not cut to the width of the terminal: it contains commands
		t.out.WriteString(t.look.paint(dim, fmt.Sprintf("  %-*s", width, k)) + "  " + k.Advice() + "\n")
	}
}

// DrillMarkdown writes a drill as a comment: the score, a table of the losses, the worst first, and what closes the
// gaps. A table that is too long for a comment is cut, and the comment mentions it.
func DrillMarkdown(w io.Writer, d Drill) error {
	m := &planMarkdown{amount: amount{names: true, lines: 100, width: 300}}
	m.write("### " + d.Headline() + "\n\n" + m.code(d.Git.Title()) + " and " + m.code(d.Cluster.Title()))
	if d.Cluster.Exported != "" {
		m.write(", exported " + m.code(d.Cluster.Exported))
	}
	m.write("\n\nScore: " + scoreRule + ".\n")
	if len(d.Unknown) > 0 {
		m.write("\nUnknown: " + m.prose(strings.Join(d.Unknown, "; ")) + "\n")
	}
	m.losses("VM", losing(d.VMs), name)
	m.losses("object", d.Objects, objectName)
	if kinds := d.advised(); len(kinds) > 0 {
		m.write("\n| loss | what closes the gap |\n|---|---|\n")
		for _, k := range kinds {
			m.write("| **" + k.String() + "** | " + m.prose(k.Advice()) + " |\n")
		}
	}
	m.notes(d.Notes)
	_, err := io.WriteString(w, m.out.String())
	return err
}

// losses writes the table of the losses of VMs, or of other objects.
func (m *planMarkdown) losses(what string, shown []drill.Rebuild, name func(manifest.ID) string) {
	if len(shown) == 0 {
		return
	}
	m.write("\n| " + what + " | losses | |\n|---|---|---|\n")
	for i := range shown {
		if m.out.Len() > mostTable {
			m.write(fmt.Sprintf("\nand %s more\n", problems.Count(len(shown)-i, what)))
			return
		}
		r := &shown[i]
		reasons := make([]string, len(r.Losses))
		for j := range r.Losses {
			reasons[j] = "**" + r.Losses[j].Kind.String() + "** " + m.prose(lossReason(&r.Losses[j]))
		}
		m.write("| " + mdCell(name(r.ID), longestName) + " | " + lossCounts(r.Counts()) + " | " +
			strings.Join(reasons[:min(len(reasons), m.lines)], "<br>") + " |\n")
	}
}

// DrillDocument is a drill as JSON. Later versions may add keys and kinds of losses, and remove none.
type DrillDocument struct {
	// The VirtualMachines and VirtualMachinePools that lose something, worst first, then by namespace and name; the
	// others are only counted.
	VMs []DrillObject `json:"vms"`
	// The other objects of Git that have changes in the cluster, in the same order.
	Objects []DrillObject `json:"objects"`
	// Facts about the whole, such as which Schedule keeps how many disks.
	Notes []string `json:"notes"`
	// Gaps in the inputs of the whole drill.
	Unknown []string `json:"unknown"`
	// The drill in counts.
	Summary DrillSummary `json:"summary"`
	// What the rebuild has.
	Git Side `json:"git"`
	// What there is now.
	Cluster Side `json:"cluster"`
}

// DrillSummary is a drill in counts.
type DrillSummary struct {
	// The score in one line, for users.
	Headline string `json:"headline"`
	// The share of VMs without any loss in percent, rounded down.
	Score int `json:"score"`
	// The number of all VMs of Git and of the cluster.
	VMs int `json:"vms"`
	// The number of VMs without any loss.
	Whole int `json:"whole"`
	// The number of VMs with uncertain losses alone.
	Unknown int `json:"unknown"`
	// The worst kind of all losses; "nothing" if there are none.
	Worst drill.Kind `json:"worst"`
	// The number of losses of all VMs by kind.
	Losses map[drill.Kind]int `json:"losses"`
}

// DrillObject is what a rebuild of one VM or other object loses.
type DrillObject struct {
	PlanObject
	// The number of its losses by kind.
	Counts map[drill.Kind]int `json:"counts"`
	// What it loses, worst first.
	Losses []DrillLoss `json:"losses"`
}

// DrillLoss is one thing that a rebuild lacks.
type DrillLoss struct {
	// What is lost, from a closed list.
	Kind drill.Kind `json:"kind"`
	// The object that is lost, or that Git does not have: a disk as its claim.
	Object *PlanObject `json:"object,omitempty"`
	// The claim that the loss is about, if it is about one.
	Disk string `json:"disk,omitempty"`
	// The reason as the rest of a sentence about the VM.
	Says string `json:"says"`
	// What closes the gap.
	Advice string `json:"advice"`
	// What the loss depends on, and the inputs lack.
	Unknown []string `json:"unknown,omitempty"`
}

// DrillJSON writes a [DrillDocument], for which `vmrender schema drill` prints the schema. Lists may be empty but are
// never null.
func DrillJSON(w io.Writer, d Drill) error { return Indented(w, d.Document()) }

// Document returns the drill as it is in JSON.
func (d Drill) Document() DrillDocument {
	return DrillDocument{
		VMs: drillObjects(losing(d.VMs)), Objects: drillObjects(d.Objects), Git: d.Git, Cluster: d.Cluster,
		Notes: notNil(d.Notes), Unknown: notNil(d.Unknown),
		Summary: DrillSummary{
			Headline: d.Headline(), Score: d.Score.Percent(), VMs: d.Score.VMs, Whole: d.Score.Whole, Unknown: d.Score.Unknown,
			Worst: d.Worst(), Losses: d.Counts,
		},
	}
}

func drillObjects(list []drill.Rebuild) []DrillObject {
	out := make([]DrillObject, len(list))
	for i := range list {
		r := &list[i]
		out[i] = DrillObject{PlanObject: PlanObject(r.ID), Counts: r.Counts(), Losses: []DrillLoss{}}
		for j := range r.Losses {
			out[i].Losses = append(out[i].Losses, drillLoss(&r.Losses[j]))
		}
	}
	return out
}

func drillLoss(l *drill.Loss) DrillLoss {
	out := DrillLoss{Kind: l.Kind, Disk: l.Disk, Says: l.Reason, Advice: l.Kind.Advice(), Unknown: l.Unknown}
	if l.Object != (manifest.ID{}) {
		object := PlanObject(l.Object)
		out.Object = &object
	}
	return out
}
