package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
)

// Variable is a variable of the gate's admission policy, in CEL.
type Variable struct{ Name, Expression string }

// gateViews are what the expressions of fields and conditions look at.
var gateViews = []Variable{
	{"from", "oldObject.spec.?template.?spec.orValue({})"},
	{"to", "object.spec.?template.?spec.orValue({})"},
	{
		"strategies", "[oldObject.spec, object.spec].map(s, string(s.?runStrategy.orValue(" +
			"s.?running.optMap(r, r ? 'Always' : 'Halted').orValue(''))))",
	},
	{
		"migratable", "oldObject.?status.?conditions.orValue([])" +
			".exists(c, c.type == 'LiveMigratable' && c.status == 'True')",
	},
	{
		"guests", "[variables.from, variables.to].map(s, s.?domain.?memory.?guest" +
			".or(s.?domain.?resources.?requests.?memory).or(s.?domain.?resources.?limits.?memory)" +
			".optMap(q, string(q)).orValue('0')).map(q, isQuantity(q) ? quantity(q) : quantity('0'))",
	},
	{"volumes", "[variables.from, variables.to].map(s, s.?volumes.orValue([]))"},
	{"networks", "[variables.from, variables.to].map(s, s.?networks.orValue([]))"},
	{"disks", "[variables.from, variables.to].map(s, s.?domain.?devices.?disks.orValue([]))"},
	{"interfaces", "[variables.from, variables.to].map(s, s.?domain.?devices.?interfaces.orValue([]))"},
}

// Variables returns the variables that describe what an update changes, in an order in
// which each needs only those before it, and `params` and `request`. Of them, `machine`,
// `instance` and `pool` are lists of changes, each a text of a level in two digits, a
// blank, and the path of the field: what changes of a VirtualMachine outside of its
// instance, what changes of what its instance is made from, and what changes of a
// VirtualMachinePool. `levels` has the digits of the levels, by name, and `names` the names.
func Variables() []Variable {
	out := slices.Clone(gateViews)
	fields := Fields()
	of := func(name string, in func(Field) bool, more ...string) {
		out = append(out, Variable{name, joinedLists(fields, in, more)})
	}
	lists := make([]string, 0, len(gateLists))
	for _, list := range slices.Sorted(maps.Values(gateLists)) {
		of("changed"+strings.ToUpper(list[:1])+list[1:], func(f Field) bool { return f.list == list })
		lists = append(lists, "variables."+out[len(out)-1].Name)
	}
	of("instance", func(f Field) bool { return f.instance && f.list == "" }, lists...)
	out = append(out, gateCopies...)
	of("machine", func(f Field) bool { return !f.instance }, "variables.uncopied")
	return append(out, Variable{"pool", gatePool()},
		Variable{"levels", levelTable("'%s': %s")}, Variable{"names", levelTable("%[2]s: '%[1]s'")})
}

// gateCopies are the volumes that are to be copied to other claims, and those of them that are not copied because
// the VM shuts down or needs a restart; see [impact.interruption].
var gateCopies = []Variable{
	{
		"copies", "object.spec.?updateVolumesStrategy.orValue('') == 'Migration'" +
			" ? variables.volumes[1].map(e, string(e.name)).filter(name, " +
			"variables.volumes[0].exists(e, e.name == name) && " + impact.CELClaim(0) + " != " + impact.CELClaim(1) + ") : []",
	},
	{
		"uncopied", "variables.strategies[1] == 'Halted'" +
			" || variables.instance.exists(c, c >= " + celLevel(impact.Restart) + ")" +
			" || oldObject.?status.?conditions.orValue([]).exists(c, c.type == 'RestartRequired' && c.status == 'True')" +
			" ? variables.copies.map(name, " + celLevel(impact.Recreate) +
			" + ' spec.template.spec.volumes[' + name + ']') : []",
	},
}

// joinedLists returns CEL for all changes of some fields.
func joinedLists(fields []Field, in func(Field) bool, more []string) string {
	parts := more
	for _, f := range fields {
		if in(f) {
			parts = append(parts, "("+f.CEL+")")
		}
	}
	return strings.Join(parts, "\n+ ")
}

// levelTable returns CEL for a map of the levels that a change of a VM can have.
func levelTable(format string) string {
	var out []string
	for _, l := range impact.Levels() {
		if l != impact.NodeNetwork && l != impact.NodeReboot && l != impact.Refused && l >= impact.Live {
			out = append(out, fmt.Sprintf(format, l, celLevel(l)))
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// gatePool returns CEL for what changes of a pool do to its members; see [impact.PoolChanges]. What their
// instances are made from is one field: KubeVirt restarts them, or shuts them down.
func gatePool() string {
	rules := impact.PoolRules()
	own := make([]reach, 0, len(rules))
	for i := range rules {
		own = append(own, reach{&rules[i], rules[i].Pattern})
	}
	pool := celNode{was: "oldObject.spec", now: "object.spec", isMap: true}
	vm := pool.child("virtualMachineTemplate").child("spec")
	replicas := chain(step(step(own, "spec"), "replicas"))
	const at = "spec.virtualMachineTemplate.spec"
	return strings.Join([]string{
		pool.child("replicas").told("spec.replicas", replicas),
		vm.child("dataVolumeTemplates").told(at+".dataVolumeTemplates", celLevel(impact.DataLoss)),
		vm.child("runStrategy").told(at+".runStrategy", celLevel(impact.Power)),
		vm.child("running").told(at+".running", celLevel(impact.Power)),
		fmt.Sprintf("%s.map(k, (%s ? %s : %s) + ' %s.' + k)",
			vm.others([]string{"dataVolumeTemplates", "runStrategy", "running"}), impact.KubeVirtSays("Evict").May,
			celLevel(impact.Power), celLevel(impact.Restart), at),
	}, "\n+ ")
}

// told returns CEL for the change of a value, as a list.
func (n celNode) told(at, level string) string {
	return fmt.Sprintf("(%s ? [%s] : [])", n.differ(), bound(n, told(level, at)))
}
