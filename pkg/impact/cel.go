package impact

import (
	"fmt"
	"slices"
	"strings"
)

// Form is a condition in CEL, for admission policies: may holds at least wherever the
// condition does, and must holds only if it does. What CEL cannot see, such as the
// instance, is open between the two.
//
// The expressions have these names: `was` and `now` are the two values of the field in
// hand, and `before` and `after` those of the entry of a list, as optionals; `name` is
// the entry's name. Those of [gate.Variables] are under `variables`.
type Form struct {
	May, Must string
	Open      []string
}

// Constants of CEL.
const (
	CELTrue  = "true"
	CELFalse = "false"
)

// unseen is the form of what CEL cannot see.
var unseen = atMost(CELTrue)

// Exactly returns the form of a condition that CEL decides.
func Exactly(cel string) Form { return Form{May: cel, Must: cel} }

// atMost returns the form of a condition that CEL can only rule out.
func atMost(cel string) Form { return Form{May: cel, Must: CELFalse} }

// IsExact reports whether CEL decides the condition.
func (f Form) IsExact() bool { return f.May == f.Must }

// ComesOrGoes reports whether the condition holds only for entries of a list that come or go.
func (f Form) ComesOrGoes() bool {
	parts := strings.Split(f.May, " && ")
	return slices.Contains(parts, added.CEL.May) || slices.Contains(parts, removed.CEL.May)
}

func (f Form) and(other Form) Form {
	return Form{celAnd(f.May, other.May), celAnd(f.Must, other.Must), slices.Concat(f.Open, other.Open)}
}

func (f Form) not() Form { return Form{May: celNot(f.Must), Must: celNot(f.May)} }

func celAnd(a, b string) string {
	switch {
	case a == CELFalse || b == CELFalse:
		return CELFalse
	case a == CELTrue:
		return b
	case b == CELTrue:
		return a
	}
	return inParentheses(a) + " && " + inParentheses(b)
}

func celNot(a string) string {
	switch a {
	case CELTrue:
		return CELFalse
	case CELFalse:
		return CELTrue
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

// CELList returns a list of texts without quotes in them.
func CELList(texts []string) string { return "['" + strings.Join(texts, "', '") + "']" }

// KubeVirtSays returns the form of a condition on the cluster's settings: those that
// [cluster.Settings.Settings] has.
func KubeVirtSays(setting string) Form {
	return Exactly("'" + setting + "' in variables.params.kubevirt")
}

// sideHas returns CEL for whether a list of a side, 0 or 1, has an entry `e` of the name in hand
// for which a condition holds.
func sideHas(list string, side int, condition string) string {
	return fmt.Sprintf("variables.%s[%d].exists(e, %s)", list, side, celAnd("e.name == name", condition))
}

// CELClaim returns CEL for the claim of the volume of the name in hand on a side, or an empty text.
func CELClaim(side int) string {
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
