package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
)

// Field is a field of a VM, or a group of fields, that the admission policy of
// the gate compares.
type Field struct {
	// Path is the field as users read it: "spec.template.spec.volumes[*]"; ".*" at the
	// end stands for the other fields there.
	Path string
	// Level is the worst that a change of the field can be.
	Level impact.Level
	// Open are the conditions, as in [impact.Condition], that CEL does not decide, so that the
	// worse of both levels counts.
	Open []string

	CEL      string // a list of texts: a level in two digits, a blank and the path
	list     string // the variable with the entries, of a list
	instance bool   // as in [impact.Rule.ofInstance]
}

// Fields returns the fields that the admission policy compares, in the order of the
// rules' paths.
func Fields() []Field {
	g := &gateTable{}
	g.field([]string{"spec"}, celNode{was: "oldObject.spec", now: "object.spec", isMap: true}, step(gateReaches(), "spec"))
	// Of the metadata, only what a Job or KubeVirt reads does more than mark the VM.
	for _, key := range []struct{ part, name string }{
		{"annotations", labels.KeepOld},
		{"annotations", labels.Restore},
		{"annotations", labels.Power},
		{"labels", labels.BlockTracking},
	} {
		node := celNode{was: "oldObject.metadata.?" + key.part, now: "object.metadata.?" + key.part}
		in := step(step(step(gateReaches(), "metadata"), key.part), key.name)
		g.field([]string{"metadata", key.part, key.name}, node.child(key.name), in)
	}
	return g.fields
}

// gateTable collects the fields while the rules are walked.
type gateTable struct{ fields []Field }

// reach is a rule that may be for what is at or below a path: rest is what is left of its
// pattern there.
type reach struct {
	rule *impact.Rule
	rest diff.Pattern
}

// gateReaches returns the rules of VMs that the gate uses. What the cluster refuses
// needs no gate, so that the level is the one that the change has if it is not
// refused; and what older versions of KubeVirt do otherwise is left out.
func gateReaches() []reach {
	var out []reach
	rules := impact.MachineRules()
	for i := range rules {
		if r := &rules[i]; r.Level != impact.Refused && r.Before == "" {
			out = append(out, reach{r, r.Pattern})
		}
	}
	return out
}

// step returns the rules that may be for a field, "*" for one that no rule names, or
// "[*]" for the entries of a list.
func step(in []reach, field string) []reach {
	var out []reach
	for _, r := range in {
		switch {
		case len(r.rest) > 0 && r.rest[0] == "**":
			out = append(out, r)
		case len(r.rest) > 0 && (r.rest[0] == field || r.rest[0] == "*"):
			out = append(out, reach{r.rule, r.rest[1:]})
		}
	}
	return out
}

// named returns the fields that rules name, sorted.
func named(in []reach) []string {
	var out []string
	for _, r := range in {
		if len(r.rest) > 0 && !strings.ContainsAny(r.rest[0], "*[") && !slices.Contains(out, r.rest[0]) {
			out = append(out, r.rest[0])
		}
	}
	slices.Sort(out)
	return out
}

// here returns the rules that are for a value as a whole.
func here(in []reach) []reach {
	return slices.DeleteFunc(slices.Clone(in), func(r reach) bool { return len(r.rest) > 0 && r.rest[0] != "**" })
}

// hasEntries reports whether rules name the entries of the list.
func hasEntries(in []reach) bool {
	return slices.ContainsFunc(in, func(r reach) bool { return len(r.rest) > 0 && r.rest[0] == "[*]" })
}

func worst(in []reach) (l impact.Level) {
	for _, r := range in {
		l = max(l, r.rule.Level)
	}
	return l
}

// celNode is CEL of a value on both sides: optionals, or maps that are always there. The
// condition same, if there is one, is that of two spellings of one value.
type celNode struct {
	was, now string
	isMap    bool
	same     string
}

func (n celNode) child(field string) celNode {
	access := ".?" + field
	if strings.ContainsAny(field, "./-") {
		access = "[?'" + field + "']"
	}
	return celNode{was: n.was + access, now: n.now + access}
}

func (n celNode) differ() string {
	differ := n.was + " != " + n.now
	if n.same != "" {
		differ += " && !(" + n.same + ")"
	}
	return differ
}

// maps returns both sides as maps.
func (n celNode) maps() (was, now string) {
	if n.isMap {
		return n.was, n.now
	}
	return n.was + ".orValue({})", n.now + ".orValue({})"
}

// emptied returns CEL for whether an empty value comes or goes.
func (n celNode) emptied() string {
	was, now := n.maps()
	return n.was + ".hasValue() != " + n.now + ".hasValue() && " + was + " == " + now
}

// others returns CEL for the fields that differ, except for the named ones.
func (n celNode) others(named []string) string {
	was, now := n.maps()
	return fmt.Sprintf("(%s.map(k, k) + %s.filter(k, !(k in %s))).filter(k, !(k in %s) && %s[?k] != %s[?k])",
		now, was, now, impact.CELList(named), was, now)
}

// viewed returns the values that are compared in another form than that of the object.
func viewed(path string, n celNode) celNode {
	switch path {
	case "spec.runStrategy":
		return celNode{was: "optional.of(variables.strategies[0])", now: "optional.of(variables.strategies[1])"}
	case "spec.template.spec.domain.memory.guest":
		n.same = n.was + ".hasValue() && " + n.now + ".hasValue() && variables.guests[0].compareTo(variables.guests[1]) == 0"
	case "spec.template.spec":
		return celNode{was: "variables.from", now: "variables.to", isMap: true}
	}
	return n
}

// gateLists are the variables that have the lists whose entries are compared by name.
var gateLists = map[string]string{
	"spec.template.spec.volumes":                   "volumes",
	"spec.template.spec.networks":                  "networks",
	"spec.template.spec.domain.devices.disks":      "disks",
	"spec.template.spec.domain.devices.interfaces": "interfaces",
}

// field adds a value and what is below it.
func (g *gateTable) field(path []string, n celNode, in []reach) {
	if worst(in) < impact.Live {
		return
	}
	at := diff.Display(path)
	n = viewed(at, n)
	fields := named(in)
	switch {
	case hasEntries(in):
		g.entries(at, in)
	case len(fields) == 0:
		g.add(at, in, fmt.Sprintf("%s ? [%s] : []", n.differ(), bound(n, told(chain(in), at))))
	default:
		for _, field := range fields {
			g.field(append(path, field), n.child(field), step(in, field))
		}
		g.rest(at, n, in, fields)
	}
}

// rest adds the fields of a map that no rule names, and the map itself.
func (g *gateTable) rest(at string, n celNode, in []reach, fields []string) {
	other := step(in, "*")
	level := chain(other)
	if at == "spec" || at == "spec.template" { // of a KubeVirt that the rules do not know
		other = []reach{{&impact.Rule{Level: impact.Restart}, nil}}
		level = chain(other)
	}
	if at == "spec" {
		fields = append(fields, "running") // it is in variables.strategies
	}
	if level != celLevel(impact.None) {
		g.add(at+".*", other, fmt.Sprintf("%s.map(k, %s + ' %s.' + k)", n.others(fields), level, at))
	}
	if whole := here(in); !n.isMap && worst(whole) >= impact.Live {
		g.add(at, whole, fmt.Sprintf("%s ? [%s] : []", n.emptied(), told(chain(whole), at)))
	}
}

// entries adds a list whose entries have names: the entries, their order, and the list as
// a whole if a name is there twice.
func (g *gateTable) entries(at string, in []reach) {
	entry, order, whole := step(in, "[*]"), step(in, "[]")[:1], here(in)
	first := len(g.fields)
	l := celEntries("variables." + gateLists[at])
	g.add(at+"[*]", entry, l.changed(at, entryLevel(entry)))
	if level := chain(order); level != celLevel(impact.None) {
		g.add(at+"[]", order, fmt.Sprintf("%s != %s ? [%s] : []", l.kept(0, 1), l.kept(1, 0), told(level, at)))
	}
	g.add(at, whole, fmt.Sprintf("%s ? [%s] : []", l.twice(), told(chain(whole), at)))
	for i := first; i < len(g.fields); i++ {
		g.fields[i].list = gateLists[at]
	}
}

// celEntries is CEL of a pair of lists whose entries have names.
type celEntries string

// of returns the entries of the name in hand on a side.
func (l celEntries) of(side int) string {
	return fmt.Sprintf("%s[%d].filter(e, e.name == name)", l, side)
}

// names returns the names on both sides.
func (l celEntries) names() string {
	const names = "(%[1]s[1] + %[1]s[0].filter(e, !%[1]s[1].exists(x, x.name == e.name))).map(e, string(e.name))"
	return fmt.Sprintf(names, l)
}

// changed returns the changes of a list's entries, with a level that has the names
// `before`, `after` and `name`.
func (l celEntries) changed(at, level string) string {
	return fmt.Sprintf("%s.filter(name, %s != %s)", l.names(), l.of(0), l.of(1)) +
		fmt.Sprintf(".map(name, [%s[?0]].map(before, [%s[?0]].map(after, %s)[0])[0]", l.of(0), l.of(1), level) +
		" + ' " + at + "[' + name + ']')"
}

// kept returns the names of a side that the other also has.
func (l celEntries) kept(side, other int) string {
	const kept = "%[1]s[%[2]d].map(e, e.name).filter(n, %[1]s[%[3]d].exists(e, e.name == n))"
	return fmt.Sprintf(kept, l, side, other)
}

// twice returns whether entries share a name, in lists that differ.
func (l celEntries) twice() string {
	const twice = "%[1]s.exists(side, side.exists(e, side.filter(x, x.name == e.name).size() > 1))"
	return fmt.Sprintf(twice+" && %[1]s[0] != %[1]s[1]", l)
}

// entryLevel returns CEL for the level of a changed entry, that comes, goes or differs.
func entryLevel(in []reach) string {
	if len(named(in)) == 0 {
		return chain(in)
	}
	inner := innerLevel(celNode{was: "before", now: "after"}, staying(in))
	return fmt.Sprintf("before.hasValue() && after.hasValue() ? %s : %s", inner, chain(here(in)))
}

// staying returns the rules that are not only for entries that come or go.
func staying(in []reach) []reach {
	return slices.DeleteFunc(slices.Clone(in), func(r reach) bool {
		return r.form().ComesOrGoes()
	})
}

// innerLevel returns CEL for the worst level of what differs in a value within an entry.
func innerLevel(n celNode, in []reach) string {
	fields := named(in)
	if len(fields) == 0 {
		return fmt.Sprintf("(%s ? (%s) : '00')", n.differ(), bound(n, chain(in)))
	}
	var parts []string
	for _, field := range fields {
		parts = append(parts, innerLevel(n.child(field), step(in, field)))
	}
	parts = append(parts, fmt.Sprintf("(%s.size() > 0 ? (%s) : '00')", n.others(fields), chain(step(in, "*"))))
	if n.was != "before" {
		parts = append(parts, fmt.Sprintf("(%s ? (%s) : '00')", n.emptied(), chain(here(in))))
	}
	return "[" + strings.Join(parts, ", ") + "].max()"
}

// bound returns an expression that has the names `was` and `now` bound, if they are in it.
func bound(n celNode, cel string) string {
	if !strings.Contains(cel, "was.") && !strings.Contains(cel, "now.") && !strings.Contains(cel, "[was, now]") {
		return cel
	}
	return fmt.Sprintf("[%s].map(was, [%s].map(now, %s)[0])[0]", n.was, n.now, cel)
}

// told returns CEL for a level with the path of what has it.
func told(level, path string) string {
	if isConstant(level) {
		return strings.TrimSuffix(level, "'") + " " + path + "'"
	}
	return "(" + level + ") + ' " + path + "'"
}

// add adds a field that rules are for.
func (g *gateTable) add(path string, in []reach, cel string) {
	in = reachable(in)
	f := Field{Path: path, Level: worst(in), Open: open(in), CEL: cel}
	f.instance = slices.ContainsFunc(in, func(r reach) bool { return r.rule.OfInstance() })
	g.fields = append(g.fields, f)
}
