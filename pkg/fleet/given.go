package fleet

import (
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// given is the level of Options.Defaults. It lies between the levels of files
// and the VM's own: whoever deploys a fleet knows more than its defaults do,
// and less than who wrote the VM.
type given struct {
	*level          // nil without such options
	over   sync.Map // *level → that level with this one over it
}

// newGiven reads what options give in place of files, once fleet.yaml is read.
func (l *loader) newGiven() {
	l.header.Target.KubeVirt = or(l.header.Target.KubeVirt, l.opts.KubeVirt)
	if len(l.opts.Defaults) == 0 {
		return
	}
	var diags source.Diagnostics
	keys := parseDefaults(l.opts.Defaults, &diags)
	l.given.level = newLevel(defaultOption, nil, levelKeys(keys, "", &diags), "", l.set, &diags)
	l.keep(nil, &diags)
}

// onto lays the level over what the VMs of a file start from.
func (g *given) onto(below *level) *level {
	if g.level == nil {
		return below
	}
	if known, ok := g.over.Load(below); ok {
		return known.(*level)
	}
	over := &level{name: g.name, parent: below, keys: g.keys, flavor: g.flavor, inDoubt: g.inDoubt || below != nil && below.inDoubt}
	known, _ := g.over.LoadOrStore(below, over)
	return known.(*level)
}

// parseDefaults turns "a.b=value" options into a tree of VM keys, in their long forms.
func parseDefaults(defaults []string, diags *source.Diagnostics) *source.Node {
	var out *source.Node
	file := &source.File{Name: defaultOption}
	for _, pair := range defaults {
		keys, value, ok := parsePair(file, pair, diags)
		if !ok {
			continue
		}
		if n := parseScalar(file, strings.Join(keys, "."), value, diags); n != nil {
			out = source.Compose(out, expand(beneath(file, keys, n)))
		}
	}
	return out
}

// parseScalar reads a text, number, boolean or null as a values file would hold it.
func parseScalar(file *source.File, path, text string, diags *source.Diagnostics) *source.Node {
	var problems source.Diagnostics
	docs := source.Parse(&source.File{Data: []byte(text)}, &problems)
	switch {
	case strings.TrimSpace(text) == "":
		diags.Errorf(source.Pos{File: file.Name}, "bad-option", path, `no value; expected one, or "" for an empty string, or null to inherit nothing`)
	case problems.HasErrors() || len(docs) != 1 || docs[0].Kind == source.Map || docs[0].Kind == source.List:
		diags.Errorf(source.Pos{File: file.Name}, "bad-option", path, "expected a string, number, boolean or null, as a values file would hold it; an overlay takes lists and maps")
	default:
		n := *docs[0]
		n.Line, n.Col, n.File = 0, 0, file
		return &n
	}
	return nil
}
