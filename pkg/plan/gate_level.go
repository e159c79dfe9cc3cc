package plan

import (
	"fmt"
	"slices"
)

// celLevel returns a level in CEL: a string of two digits, which compares as the levels do. What
// no VM notices is one level.
func celLevel(l Level) string {
	if l < Live {
		l = None
	}
	return fmt.Sprintf("'%02d'", l)
}

// isConstant reports whether CEL is a level as it is.
func isConstant(cel string) bool { return len(cel) == len(celLevel(None)) }

// form returns the condition of a rule in CEL. A rule for fields below a value
// may hold for the value.
func (r reach) form() celForm {
	form := exactly(celTrue)
	if r.rule.If.holds != nil {
		form = r.rule.If.cel
	}
	if len(r.rest) > 0 && r.rest[0] != "**" {
		form.must = celFalse
	}
	return form
}

// chain returns CEL for the level of the first rule that holds, and if CEL cannot determine that,
// the worst of those that may.
func chain(in []reach) string {
	if len(in) == 0 {
		return celLevel(None)
	}
	form, level := in[0].form(), celLevel(in[0].rule.Level)
	if form.must == celTrue {
		return level
	}
	rest := chain(in[1:])
	switch {
	case form.may == celFalse || level == rest || form.must == celFalse && level == celLevel(None):
		return rest
	case form.must == celFalse:
		return atLeast(form.may, level, rest)
	case form.isExact():
		return form.may + " ? " + level + " : " + rest
	}
	return form.must + " ? " + level + " : " + atLeast(form.may, level, rest)
}

// atLeast returns CEL for the worse of two levels if a condition may hold, or else the second.
func atLeast(may, level, rest string) string {
	switch {
	case isConstant(rest) && rest >= level:
		return rest
	case isConstant(rest) && may == celTrue:
		return level
	case isConstant(rest):
		return may + " ? " + level + " : " + rest
	case may == celTrue:
		return fmt.Sprintf("[%s, %s].max()", level, rest)
	}
	return fmt.Sprintf("[%s ? %s : '00', %s].max()", may, level, rest)
}

// reachable returns the rules up to the first that holds in any case.
func reachable(in []reach) []reach {
	for i, r := range in {
		if r.form().must == celTrue {
			return in[:i+1]
		}
	}
	return in
}

// open returns the conditions that CEL does not decide, of rules that matter.
func open(in []reach) []string {
	var out []string
	for _, r := range in {
		if r.rule.Level < Live || r.rule.If.holds == nil || r.rule.If.cel.isExact() {
			continue
		}
		texts := r.rule.If.cel.open
		if len(texts) == 0 {
			texts = []string{r.rule.If.Text}
		}
		out = append(out, texts...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
