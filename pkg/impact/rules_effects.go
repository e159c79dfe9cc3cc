package impact

import (
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// rulesEffects are the rules of the table of effects: what objects of the platform do to nodes and to all VMs.
var rulesEffects = func() []Rule {
	var out []Rule
	for _, e := range kinds.Effects() {
		r := Rule{
			Kind: e.Name + "." + e.Group, Code: codeOf(&e), Reason: e.Does, Advice: e.Stage, Warning: e.Later, Source: e.Source,
		}
		_ = r.Level.UnmarshalText([]byte(e.Level)) // the table is tested
		if e.Later {
			r.Level = Live // the later event has the level of the table, and not this sync
		}
		if e.If == nil {
			out = append(out, node(r)...)
			continue
		}
		created, changed := r, r
		created.Path, created.If = diff.Created, has(&e)
		changed.Path, changed.If = "spec.**", begins(&e)
		out = append(out, created, changed)
	}
	return out
}()

// codeOf returns the code of an effect.
func codeOf(e *kinds.Effect) Code {
	if e.Level == "node-reboot" || e.Level == "node-network" {
		return Code(e.Level)
	}
	return "platform-effect"
}

// has returns the condition that an object has an effect.
func has(e *kinds.Effect) Condition {
	return Condition{e.Does, func(c *Edit) bool { return e.If(manifest.Compact(c.New)) }, unseen}
}

// begins returns the condition that a change of a field is what an object has an effect by.
func begins(e *kinds.Effect) Condition {
	return Condition{"from now on", func(c *Edit) bool {
		field := manifest.Tree{c.Path[len(c.Path)-1]: c.Now}
		return e.If(manifest.Compact(field)) && !e.If(manifest.Compact(c.Old))
	}, unseen}
}
