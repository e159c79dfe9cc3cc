package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/source"
)

// fold is the verdicts of one level that have the same cause, and one line. Most changes are of a key that many VMs
// read.
type fold struct {
	*plan.Verdict // the first
	all           []*plan.Verdict
	// at is the place of the key that all of them read; empty for one verdict, or if each has a place of its own.
	at source.Pos
}

// fewestFolded is the least number of verdicts with one cause that have one line.
const fewestFolded = 3

// folds returns the verdicts of a level by cause, in the order of the first of each: by their text, and by the place of
// the key that they read. Those with a cause of their own, and those of two, stay alone.
func (p Plan) folds(verdicts []*plan.Verdict, text func(*plan.Verdict) string) []fold {
	byText := map[string][]*plan.Verdict{}
	for _, v := range verdicts {
		key := anyName(v, text(v))
		byText[key] = append(byText[key], v)
	}
	foldOf := map[*plan.Verdict]*fold{}
	for _, all := range byText {
		if len(all) >= fewestFolded {
			p.foldByPlace(all, foldOf)
		}
	}
	var out []fold
	for _, v := range verdicts {
		f := foldOf[v]
		switch {
		case f == nil || v.Was != nil:
			out = append(out, fold{Verdict: v, all: []*plan.Verdict{v}})
		case f.Verdict == v:
			out = append(out, *f)
		}
	}
	return out
}

// foldByPlace finds the folds of verdicts with one text: those that read one key at one place, and the rest together.
func (p Plan) foldByPlace(all []*plan.Verdict, into map[*plan.Verdict]*fold) {
	byPlace := map[source.Pos][]*plan.Verdict{}
	for _, v := range all {
		at := p.causePlace(v)
		byPlace[at] = append(byPlace[at], v)
	}
	rest := &fold{}
	for _, v := range all {
		at := p.causePlace(v)
		f := rest
		if same := byPlace[at]; at != (source.Pos{}) && len(same) >= fewestFolded {
			if f = into[same[0]]; f == nil {
				f = &fold{at: at}
			}
		}
		if f.Verdict == nil {
			f.Verdict = v
		}
		f.all = append(f.all, v)
		into[v] = f
	}
	if len(rest.all) < fewestFolded {
		for _, v := range rest.all {
			delete(into, v)
		}
	}
}

// causePlace returns the place of the key of a verdict's worst cause, or none.
func (p Plan) causePlace(v *plan.Verdict) source.Pos {
	if len(v.Causes) == 0 || v.Causes[0].Key == "" {
		return source.Pos{}
	}
	return p.sharedPlace(v.ID, v.Causes[0].Key)
}

// place returns where the key of a fold is set, for users: "; set at fleet.yaml:4:12".
func (f *fold) place() string {
	if f.at == (source.Pos{}) {
		return ""
	}
	return "; set at " + f.at.String()
}

// anyName returns a text about a VM in which NAME stands for the VM's name, where the text quotes it or a name that
// begins with it.
func anyName(v *plan.Verdict, text string) string {
	quoted := `"` + v.ID.Name
	for _, after := range []string{`"`, "-"} {
		text = strings.ReplaceAll(text, quoted+after, `"NAME`+after)
	}
	return text
}

// text returns the text about the first verdict, or about all if there are more.
func (f *fold) text(of func(*plan.Verdict) string) string {
	if len(f.all) == 1 {
		return of(f.Verdict)
	}
	return anyName(f.Verdict, of(f.Verdict))
}

// names returns the names of the verdicts, with one text for VMs that differ in their number: "prod/web-0 … web-11".
// The last one is the number of those that are left out.
func (f *fold) names(most int) []string {
	if len(f.all) == 1 {
		return []string{moved(f.Verdict)}
	}
	all := slices.Clone(f.all)
	slices.SortStableFunc(all, func(a, b *plan.Verdict) int {
		stemA, i := stem(a.ID.Name)
		stemB, j := stem(b.ID.Name)
		return cmp.Or(cmp.Compare(a.ID.Namespace, b.ID.Namespace), cmp.Compare(stemA, stemB), cmp.Compare(i, j))
	})
	var out []string
	shown := 0
	for from := 0; from < len(all) && len(out) < most; {
		to := lastOf(all, from)
		text := name(all[from].ID)
		if to > from {
			text += " … " + all[to].ID.Name
		}
		out, shown, from = append(out, text), shown+to+1-from, to+1
	}
	if rest := len(all) - shown; rest > 0 {
		out = append(out, fmt.Sprintf("%d more", rest))
	}
	return out
}

// lastOf returns the last of the verdicts from one on whose names have the same stem and the next numbers.
func lastOf(all []*plan.Verdict, from int) int {
	first, n := stem(all[from].ID.Name)
	to := from
	for to+1 < len(all) && all[to+1].ID.Namespace == all[from].ID.Namespace {
		next, i := stem(all[to+1].ID.Name)
		if n < 0 || next != first || i != n+to+1-from {
			break
		}
		to++
	}
	if to-from+1 < fewestFolded {
		return from
	}
	return to
}

// stem returns a name without the number at its end, and the number, or -1.
func stem(name string) (before string, number int) {
	before = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(before):])
	if err != nil || before == "" {
		return name, -1
	}
	return before, n
}

// count returns the number of verdicts of a fold in brackets, or "" for one.
func (f *fold) count() string {
	if len(f.all) == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d)", len(f.all))
}
