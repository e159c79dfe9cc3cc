package gate

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/impact"
)

// celLevel returns a level in CEL: a string of two digits, which compares as the levels do. What
// no VM notices is one level.
func celLevel(l impact.Level) string {
	if l < impact.Live {
		l = impact.None
	}
	return fmt.Sprintf("'%02d'", l)
}

// isConstant reports whether CEL is a level as it is.
func isConstant(cel string) bool { return len(cel) == len(celLevel(impact.None)) }

// form returns the condition of a rule in CEL. A rule for fields below a value
// may hold for the value.
func (r reach) form() impact.Form {
	form := impact.Exactly(impact.CELTrue)
	if r.rule.If.Holds != nil {
		form = r.rule.If.CEL
	}
	if len(r.rest) > 0 && r.rest[0] != "**" {
		form.Must = impact.CELFalse
	}
	return form
}

// chain returns CEL for the level of the first rule that holds, and if CEL cannot determine that,
// the worst of those that may.
func chain(in []reach) string {
	if len(in) == 0 {
		return celLevel(impact.None)
	}
	form, level := in[0].form(), celLevel(in[0].rule.Level)
	if form.Must == impact.CELTrue {
		return level
	}
	rest := chain(in[1:])
	switch {
	case form.May == impact.CELFalse || level == rest || form.Must == impact.CELFalse && level == celLevel(impact.None):
		return rest
	case form.Must == impact.CELFalse:
		return atLeast(form.May, level, rest)
	case form.IsExact():
		return form.May + " ? " + level + " : " + rest
	}
	return form.Must + " ? " + level + " : " + atLeast(form.May, level, rest)
}

// atLeast returns CEL for the worse of two levels if a condition may hold, or else the second.
func atLeast(may, level, rest string) string {
	switch {
	case isConstant(rest) && rest >= level:
		return rest
	case isConstant(rest) && may == impact.CELTrue:
		return level
	case isConstant(rest):
		return may + " ? " + level + " : " + rest
	case may == impact.CELTrue:
		return fmt.Sprintf("[%s, %s].max()", level, rest)
	}
	return fmt.Sprintf("[%s ? %s : '00', %s].max()", may, level, rest)
}

// reachable returns the rules up to the first that holds in any case.
func reachable(in []reach) []reach {
	for i, r := range in {
		if r.form().Must == impact.CELTrue {
			return in[:i+1]
		}
	}
	return in
}

// open returns the conditions that CEL does not decide, of rules that matter.
func open(in []reach) []string {
	var out []string
	for _, r := range in {
		if r.rule.Level < impact.Live || r.rule.If.Holds == nil || r.rule.If.CEL.IsExact() {
			continue
		}
		texts := r.rule.If.CEL.Open
		if len(texts) == 0 {
			texts = []string{r.rule.If.Text}
		}
		out = append(out, texts...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
