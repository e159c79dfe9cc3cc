package fleet

import (
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// defaultOption is the name of the option in diagnostics, in place of a file.
const defaultOption = "--default"

// given is the level of Options.Defaults. It is between the levels of files
// and those of the VMs: an option of a deployment is more specific than the
// defaults of the fleet, and less specific than a VM.
type given struct {
	*Level          // nil if there are no such options
	over   sync.Map // *Level → this level with that one as its parent
}

// openGiven applies the options that replace values in files, after fleet.yaml
// was read.
func (f *Fleet) openGiven() {
	if len(f.Defaults) == 0 {
		return
	}
	var diags source.Diagnostics
	keys := parseDefaults(f.Defaults, &diags)
	f.given.Level = f.newLevel(defaultOption, nil, levelKeys(keys, "", &diags), "", &diags)
	f.report(&diags)
}

// onto returns this level with the level of a file as its parent.
func (g *given) onto(below *Level) *Level {
	if g.Level == nil {
		return below
	}
	if known, ok := g.over.Load(below); ok {
		return known.(*Level)
	}
	over := &Level{Name: g.Name, Parent: below, Keys: g.Keys, flavor: g.flavor, depth: 1, inDoubt: g.inDoubt}
	if below != nil {
		over.depth, over.inDoubt = below.depth+1, g.inDoubt || below.inDoubt
	}
	over.stamp()
	known, _ := g.over.LoadOrStore(below, over)
	return known.(*Level)
}

// parseDefaults converts "a.b=value" options to a tree of VM keys, in their
// long forms.
func parseDefaults(defaults []string, diags *source.Diagnostics) *source.Node {
	var out *source.Node
	file := &source.File{Name: defaultOption}
	for _, pair := range defaults {
		keys, value, ok := source.SplitOption(file, pair, diags)
		if !ok {
			continue
		}
		if n := parseScalar(file, strings.Join(keys, "."), value, diags); n != nil {
			out = source.Compose(out, values.Long(source.Under(file, keys, n)))
		}
	}
	return out
}

// parseScalar parses a string, number, boolean or null as in a values file.
func parseScalar(file *source.File, path, text string, diags *source.Diagnostics) *source.Node {
	var problems source.Diagnostics
	docs := source.Parse(&source.File{Data: []byte(text)}, &problems)
	switch {
	case strings.TrimSpace(text) == "":
		diags.Errorf(source.Pos{File: file.Name}, rule.BadOption, path,
			`no value; expected one, or "" for an empty string, or null to inherit nothing`)
	case problems.HasErrors() || len(docs) != 1 || docs[0].Kind == source.Map || docs[0].Kind == source.List:
		diags.Errorf(source.Pos{File: file.Name}, rule.BadOption, path,
			"expected a string, number, boolean or null, as a values file would hold it; an overlay takes lists and maps")
	default:
		n := *docs[0]
		n.Line, n.Col, n.File = 0, 0, file
		return &n
	}
	return nil
}
