package plan

import (
	"fmt"
	"slices"
	"strings"
)

// celForm is a condition in CEL, for admission policies: may holds at least wherever the
// condition does, and must holds only if it does. What CEL cannot see, such as the
// instance, is open between the two.
//
// The expressions have these names: `was` and `now` are the two values of the field in
// hand, and `before` and `after` those of the entry of a list, as optionals; `name` is
// the entry's name. Those of [GateVariables] are under `variables`.
type celForm struct {
	may, must string
	open      []string
}

const (
	celTrue  = "true"
	celFalse = "false"
)

// unseen is the form of what CEL cannot see.
var unseen = atMost(celTrue)

// exactly returns the form of a condition that CEL decides.
func exactly(cel string) celForm { return celForm{may: cel, must: cel} }

// atMost returns the form of a condition that CEL can only rule out.
func atMost(cel string) celForm { return celForm{may: cel, must: celFalse} }

// isExact reports whether CEL decides the condition.
func (f celForm) isExact() bool { return f.may == f.must }

func (f celForm) and(other celForm) celForm {
	return celForm{celAnd(f.may, other.may), celAnd(f.must, other.must), slices.Concat(f.open, other.open)}
}

func (f celForm) not() celForm { return celForm{may: celNot(f.must), must: celNot(f.may)} }

func celAnd(a, b string) string {
	switch {
	case a == celFalse || b == celFalse:
		return celFalse
	case a == celTrue:
		return b
	case b == celTrue:
		return a
	}
	return inParentheses(a) + " && " + inParentheses(b)
}

func celNot(a string) string {
	switch a {
	case celTrue:
		return celFalse
	case celFalse:
		return celTrue
	}
	return "!(" + a + ")"
}

// inParentheses returns an operand of a conjunction: an alternative needs them.
func inParentheses(cel string) string {
	depth := 0
	for i, c := range cel {
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.HasPrefix(cel[i:], " || "):
			return "(" + cel + ")"
		}
	}
	return cel
}

// celList returns a list of texts without quotes in them.
func celList(texts []string) string { return "['" + strings.Join(texts, "', '") + "']" }

// kubeVirtSays returns the form of a condition on the cluster's settings: those that
// [Cluster.Settings] has.
func kubeVirtSays(setting string) celForm {
	return exactly("'" + setting + "' in variables.params.kubevirt")
}

// sideHas returns CEL for whether a list of a side, 0 or 1, has an entry `e` of the name in hand
// for which a condition holds.
func sideHas(list string, side int, condition string) string {
	return fmt.Sprintf("variables.%s[%d].exists(e, %s)", list, side, celAnd("e.name == name", condition))
}

// celClaim returns CEL for the claim of the volume of the name in hand on a side, or an empty text.
func celClaim(side int) string {
	return fmt.Sprintf("(variables.volumes[%d].filter(e, e.name == name)"+
		".map(e, e.?dataVolume.?name.or(e.?persistentVolumeClaim.?claimName).orValue('')) + [''])[0]", side)
}

const (
	celPlugs        = "(e.?dataVolume.?hotpluggable.orValue(false) || e.?persistentVolumeClaim.?hotpluggable.orValue(false))"
	celHotpluggable = "variables.volumes.all(side, side.all(e, e.name != name || " + celPlugs + "))" +
		" && variables.volumes.exists(side, side.exists(e, e.name == name))"
	celSameNetwork = "[[was, now].map(n, n.orValue('')).map(n, n.contains('/') ? n : request.namespace + '/' + n)].all(n, n[0] == n[1])"

	// The sockets of a VM that has none written are worked out from other fields.
	// CEL takes them for 0, and that there are none, for what may need a restart: with
	// that, the conditions on their number are enough.
	celSockets      = "int(variables.from.?domain.?cpu.?sockets.orValue(0))"
	celAboveSockets = celSockets + " > 0 && !variables.from.?domain.?cpu.?maxSockets.hasValue() && int(now.orValue(1)) > 4 * " + celSockets
	celAboveGuest   = "!variables.from.?domain.?memory.?maxGuest.hasValue() && variables.guests[0].add(variables.guests[0])" +
		".add(variables.guests[0]).add(variables.guests[0]).isLessThan(variables.guests[1])"
	celFixedMemory = "variables.from.?domain.?cpu.?realtime.hasValue() || variables.from.?domain.?cpu.?numa.?guestMappingPassthrough.hasValue()" +
		" || variables.from.?domain.?launchSecurity.hasValue() || variables.guests[0].isLessThan(quantity('1Gi'))" +
		" || !variables.guests[1].isInteger() || variables.guests[1].asInteger()" +
		" % (variables.from.?domain.?memory.?hugepages.?pageSize.orValue('') == '1Gi' ? 1073741824 : 2097152) != 0"
)
