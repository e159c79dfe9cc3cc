package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/status"
)

// Status is the state in the cluster of the VMs in Git, with the facts that a reader needs to
// assess it.
type Status struct {
	*status.Status
	// Git is what was promised, and Cluster where it should be.
	Git, Cluster Side
	// Unknown is what the inputs of the whole comparison leave open, in a few words each.
	Unknown []string
	// Verbose adds fields, values and advice to the text for users, and the VMs that
	// are as Git has them.
	Verbose bool
	// Terminal is what the text is written to.
	Terminal Terminal
}

// StatusFormat is an output format for a [Status] and for a [Drain].
type StatusFormat struct {
	Name       string // such as "markdown"
	Write      func(io.Writer, Status) error
	WriteDrain func(io.Writer, Drain) error
}

// StatusFormats returns all formats, the one for users first.
func StatusFormats() []StatusFormat {
	return []StatusFormat{
		{"text", StatusText, DrainText},
		{"markdown", StatusMarkdown, DrainMarkdown},
		{"json", StatusJSON, DrainJSON},
		{"prometheus", StatusPrometheus, DrainPrometheus},
	}
}

// String returns the format's name.
func (f StatusFormat) String() string { return f.Name }

// Reaches reports whether a VM or other object has this state or a worse one. Nothing reaches
// [plan.StateOK].
func (s Status) Reaches(state status.State) bool { return state > status.StateOK && s.Worst() >= state }

// Headline returns the status in one line with counts, such as
// "2 of 40 VMs not as Git has them: 1 down, 1 restart; 1 other object: 1 drift".
func (s Status) Headline() string {
	objects := map[status.State]int{}
	for i := range s.Objects {
		objects[s.Objects[i].State]++
	}
	n, isPlatform := len(s.Objects), len(s.VMs) == 0
	others, vms := problems.Count(n, "other object"), problems.Count(len(s.VMs), "VM")
	differing := len(s.VMs) - s.Counts[status.StateOK]
	switch {
	case n > 0 && isPlatform:
		return problems.Count(n, "object") + " not as Git has " + pronoun(n) + ": " + byState(objects)
	case differing == 0:
		vms += ", as Git has " + pronoun(len(s.VMs))
	default:
		vms = fmt.Sprintf("%d of %s not as Git has %s: %s", differing, vms, pronoun(differing), byState(s.Counts))
	}
	if n > 0 {
		vms += "; " + others + ": " + byState(objects)
	}
	return vms
}

// byState returns the numbers of those that are not as Git has them, the worst first: "1 down, 2 restart".
func byState(counts map[status.State]int) string {
	states, parts := status.States(), []string{}
	slices.Reverse(states)
	for _, state := range states {
		if n := counts[state]; n > 0 && state > status.StateOK {
			parts = append(parts, fmt.Sprintf("%d %s", n, stateWords(state)))
		}
	}
	return strings.Join(parts, ", ")
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// stateWords returns a state in words for users, such as "left over".
func stateWords(s status.State) string { return strings.ReplaceAll(s.String(), "-", " ") }

// says returns all facts about a VM or other object in one sentence.
func says(v *status.Standing) string {
	parts := make([]string, len(v.Facts))
	for i := range v.Facts {
		parts[i] = v.Facts[i].Says
	}
	out := strings.Join(parts, "; ")
	if v.Approximate {
		out = "[?] " + out
	}
	return out
}

// stateColors are the colors of states, which are always written in words also.
var stateColors = map[status.State]sgr{
	status.StateOK: green, status.StateHeld: cyan, status.StateUnderWay: cyan, status.StateStaged: cyan,
	status.StateRestart: yellow, status.StateNotSynced: yellow, status.StateDrift: magenta,
	status.StateLeftOver: magenta, status.StateFailed: red, status.StateDisk: red, status.StateDown: alarm,
}

// StatusText writes a status for users: the headline, what is compared with what, and a
// line for each VM, the worst first. See [problems.Visible] for what is not printable.
func StatusText(w io.Writer, s Status) error {
	t := &planText{look: s.Terminal, verbose: s.Verbose}
	color := bold
	if s.Worst() > status.StateOK {
		color = stateColors[s.Worst()]
	}
	t.line(color, s.Headline())
	for _, side := range []struct {
		label string
		side  Side
	}{{"git", s.Git}, {"cluster", s.Cluster}} {
		t.fact(side.label, side.side.Title())
		t.facts(side.side.Facts())
	}
	t.fact("unknown:", strings.Join(s.Unknown, "; "))
	shown := s.VMs
	if !s.Verbose {
		shown = shown[:len(shown)-s.Counts[status.StateOK]]
	}
	t.standings("", shown, name)
	t.standings("other objects", s.Objects, objectName)
	t.notes(s.Notes)
	_, err := io.WriteString(w, t.out.String())
	return err
}

// standings writes a line for each VM or other object, under a title unless that is "".
func (t *planText) standings(title string, shown []status.Standing, name func(manifest.ID) string) {
	width, words := 0, 0
	for i := range shown {
		width = min(max(width, utf8.RuneCountInString(name(shown[i].ID))), widest)
		words = max(words, len(stateWords(shown[i].State)))
	}
	switch {
	case len(shown) == 0:
		return
	case title != "":
		t.heading(bold, title)
	default:
		t.out.WriteByte('\n')
	}
	for i := range shown {
		v := &shown[i]
		state := fmt.Sprintf("%-*s", words, stateWords(v.State))
		t.line(stateColors[v.State], state, strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, name(v.ID), says(v)), " "))
		if t.verbose {
			t.factsOf(v)
		}
	}
}

// objectName returns an object that is no VM, such as "Service prod/web".
func objectName(id manifest.ID) string { return id.Kind + " " + name(id) }

// factsOf writes all that is known about the facts of a VM or other object.
func (t *planText) factsOf(v *status.Standing) {
	for i := range v.Facts {
		f := &v.Facts[i]
		t.line(stateColors[f.State], "    "+stateWords(f.State), " "+f.Says+" ["+string(f.Code)+"]")
		for j := range f.Fields {
			field := &f.Fields[j]
			by := ""
			if field.By != "" {
				by = ", by " + field.By + " at " + field.At
			}
			t.line(dim, "      "+field.Path, " "+orNothing(field.Is)+" → "+orNothing(field.Wanted)+by)
		}
		for _, more := range []struct{ label, text string }{{"advice", f.Advice}, {"unknown:", f.Approximate}} {
			if more.text != "" {
				t.line(dim, fmt.Sprintf("      %-9s ", more.label), more.text)
			}
		}
	}
}
