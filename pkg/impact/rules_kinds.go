package impact

import (
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// rulesKinds are the rules of the table of kinds: of objects that act on VMs or disks.
var rulesKinds = func() []Rule {
	var out []Rule
	for _, k := range kinds.All() {
		if !k.Acts() || k.Name == "" {
			continue
		}
		kind := k.Name
		if k.Group != "" {
			kind += "." + k.Group
		}
		out = append(out, acting(Rule{Kind: kind, Source: k.Source}, &k)...)
	}
	for _, k := range kinds.All() {
		if k.Acts() && k.Name == "" {
			out = append(out, acting(Rule{If: inGroup(k.Group), Source: sourceAPI}, &k)...)
		}
	}
	unknown := Rule{
		Path: diff.Created, If: unknownKind, Level: Live, Code: CodeActsUnknown, Reason: reasonUnknown, Assumes: Controllers,
		Advice: "read its documentation before the sync", Source: sourceAPI,
	}
	changed := unknown
	changed.Path = "spec.**"
	return append(out, unknown, changed)
}()

// The codes of objects that act on VMs.
const (
	CodeActs        Code = "acts"
	CodeActsUnknown Code = "acts-unknown"
)

const reasonUnknown = "vmrender has no row for this kind, whose controller may act on VMs"

// acting returns the rules of a kind that acts on VMs or disks.
func acting(r Rule, k *kinds.Kind) []Rule {
	level := func(name string) (l Level) {
		_ = l.UnmarshalText([]byte(name)) // the table is tested
		return l
	}
	r.Code, r.Reason, r.Warning = CodeActs, "such an object "+k.Does, true
	r.Advice = "make sure that the object is meant to do this"
	r.Level, r.Path = level(k.Level), diff.Created
	always := len(k.VM) > 0
	if !always {
		r.If = brought(r.If)
	}
	changed := r
	changed.Path = "spec.**"
	out := []Rule{r, changed}
	if k.Removed != "" {
		r.Path, r.Level = diff.Removed, level(k.Removed)
		unkept := not(keptByPrune, "without Prune=false")
		if r.If.Holds == nil {
			r.If = unkept
		} else {
			r.If = both(unkept, r.If)
		}
		out = append(out, r)
	}
	return out
}

// brought returns a condition with the further one that a VM of a fleet brings the object: a layer of the platform may
// have it for other reasons.
func brought(c Condition) Condition {
	if c.Holds == nil {
		return isBrought
	}
	return both(isBrought, c)
}

var isBrought = Condition{"brought by a VM", func(e *Edit) bool { return cluster.IsRendered(e.Old) || cluster.IsRendered(e.New) }, unseen}

// KindRow returns the row of the table for an object.
func KindRow(id manifest.ID) kinds.Kind { return kinds.Of(id.Group(), id.Kind) }

// inGroup returns the condition that an object has no row of its own in the table, and its group has one.
func inGroup(group string) Condition {
	return Condition{"another kind of " + group, func(e *Edit) bool {
		k := KindRow(e.ID)
		return k.Name == "" && k.Group == group
	}, unseen}
}

// unknownKind is the condition that the table has no row for an object that a VM brings.
var unknownKind = Condition{"of another kind, brought by a VM", func(e *Edit) bool {
	k := KindRow(e.ID)
	return !k.Known() && isBrought.Holds(e)
}, unseen}
