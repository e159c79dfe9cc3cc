package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/plan"
)

// fold is the verdicts of one level that have the same cause, and one line. Most changes are of a key that many VMs
// read.
type fold struct {
	*plan.Verdict // the first
	all           []*plan.Verdict
}

// fewestFolded is the least number of verdicts with one cause that have one line.
const fewestFolded = 3

// folds returns the verdicts of a level by cause, in the order of the first of each. Those with a cause of their own,
// and those of two, stay alone.
func folds(verdicts []*plan.Verdict, text func(*plan.Verdict) string) []fold {
	byText := map[string][]*plan.Verdict{}
	for _, v := range verdicts {
		key := anyName(v, text(v))
		byText[key] = append(byText[key], v)
	}
	var out []fold
	for _, v := range verdicts {
		all := byText[anyName(v, text(v))]
		switch {
		case len(all) < fewestFolded || v.Was != nil:
			out = append(out, fold{v, []*plan.Verdict{v}})
		case all[0] == v:
			out = append(out, fold{v, all})
		}
	}
	return out
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
