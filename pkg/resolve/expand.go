package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// expand expands the string under keys (map keys and list indices).
func (d *draft) expand(text string, keys ...any) string {
	if !template.Is(text) {
		return text
	}
	out, problem := d.site.templates.ExpandWithin(&d.shared.work, text, templateData{d})
	if problem != nil {
		d.reportTemplate(problem, keys)
	}
	return out
}

// expandMap expands the values of a map, which is not changed, and is returned as it is if none is a template.
func (d *draft) expandMap(in map[string]string, key string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out, copied := in, false
	for k, v := range in {
		if !template.Is(v) {
			continue
		}
		if !copied {
			out, copied = maps.Clone(in), true
		}
		out[k] = d.expand(v, key, k)
	}
	return out
}

func (d *draft) expandList(in []string, keys ...any) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, v := range in {
		if out[i] = v; template.Is(v) {
			out[i] = d.expand(v, append(slices.Clip(keys), i)...)
		}
	}
	return out
}

// expandNode expands all strings of a tree, which is not changed. keys are those of the tree.
func (d *draft) expandNode(n *source.Node, keys ...any) *source.Node {
	if n == nil {
		return nil
	}
	out := *n
	if n.Kind == source.String {
		out.Text = d.expand(n.Text, keys...)
	}
	out.Fields, out.Items = slices.Clone(n.Fields), slices.Clone(n.Items)
	for i := range out.Fields {
		f := &out.Fields[i]
		f.Value = d.expandNode(f.Value, append(slices.Clip(keys), f.Key)...)
	}
	for i, item := range out.Items {
		out.Items[i] = d.expandNode(item, append(slices.Clip(keys), i)...)
	}
	return &out
}

// templateData is what the templates of a VM can use.
type templateData struct{ *draft }

// vmNames are the values of `.vm`. A VM that is not a replica has no ordinal.
var vmNames = [...]struct {
	name string
	of   func(*draft) any
}{
	{"name", func(d *draft) any { return d.name }},
	{"namespace", func(d *draft) any { return d.namespace }},
	{"os", func(d *draft) any { return d.entry.OS.Name }},
	{"ordinal", func(d *draft) any {
		if d.ordinal == nil {
			return nil
		}
		return *d.ordinal
	}},
}

// Text returns a string of `.vm` or `.vars`.
func (d templateData) Text(path []string) (string, bool) {
	switch {
	case path[0] == "vars" && len(path) > 1:
		vars := d.varsNode()
		if vars != nil && len(vars.Fields) > mostSearched {
			return "", false
		}
		if n := vars.Get(path[1:]...); n != nil && n.Kind == source.String {
			return n.Text, true
		}
	case path[0] == "vm" && len(path) == 2:
		for i := range vmNames {
			if vmNames[i].name == path[1] {
				text, ok := vmNames[i].of(d.draft).(string)
				return text, ok
			}
		}
	}
	return "", false
}

// Values returns the data for templates.
func (d templateData) Values() map[string]any { return d.values() }

// values returns the data for templates.
func (d *draft) values() map[string]any {
	if d.data != nil {
		return d.data
	}
	vm := map[string]any{}
	for i := range vmNames {
		if value := vmNames[i].of(d); value != nil {
			vm[vmNames[i].name] = value
		}
	}
	d.data = map[string]any{"vars": d.vars(), "vm": vm, "fleet": d.site.goFleet, "environment": d.site.Environment}
	if d.ordinal != nil {
		d.data["ordinal"] = *d.ordinal
	}
	return d.data
}

// mostSearched is how many vars are searched for one, which is faster than to make a map of a few.
const mostSearched = 64

// shared is what the VMs of an entry, its replicas, have in common.
type shared struct {
	work   template.Work
	vars   any          // as Go values; nil until the first template
	merged *source.Node // vars as written; nil until they are needed
}

// varsNode returns the VM's vars, or nil if there are none.
func (d *draft) varsNode() *source.Node {
	if d.shared.merged == nil {
		d.shared.merged = source.Merge(d.entry.Keys.Get("vars"), d.site.Vars)
	}
	return d.shared.merged
}

// vars returns the VM's vars as Go values. VMs whose vars are all inherited
// share them.
func (d *draft) vars() any {
	if d.shared.vars != nil {
		return d.shared.vars
	}
	n := d.varsNode()
	written := d.entry.Keys.Get("vars")
	known, found := d.site.goVars.Load(written)
	switch {
	case n == nil:
		d.shared.vars = map[string]any{}
	case found:
		d.shared.vars = known
	default:
		d.shared.vars = n.Plain()
		if d.entry.Inherits("vars") {
			d.site.goVars.Store(written, d.shared.vars)
		}
	}
	return d.shared.vars
}

// reportTemplate reports a problem in a template at its position inside the
// string.
func (d *draft) reportTemplate(p *template.Problem, keys []any) {
	n, path := d.find(keys)
	at := n.Pos()
	if p.Line > 0 {
		at = source.Inside(n, p.Line, p.Col)
	}
	if p.Missing == "" {
		d.errorf(at, rule.Template, path, "template: %s", withEscape(p.Message, n.Text, isFreeText(keys)))
		return
	}
	message := d.missing(p.Expr, p.Missing)
	if end := message.End; end != nil {
		message.End = func() string { return withEscape(end(), n.Text, false) }
	} else {
		message.Problem = withEscape(message.Problem, n.Text, false)
	}
	d.errorf(at, rule.Template, path, "template: %s", message)
}

// jinja is the header, in lower case, of user data that cloud-init itself expands.
const jinja = "## template: jinja"

// withEscape adds to a message how to write braces of another language: of Jinja, by the header of the text, or what
// may be one, because scripts and cloud-config have such braces.
func withEscape(message, text string, mayBe bool) string {
	switch {
	case strings.Contains(message, template.KeepLiteral):
	case strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), jinja):
		return message + "; the header specifies Jinja, which cloud-init expands: " + template.KeepLiteral
	case mayBe && strings.HasSuffix(message, "?"):
		return message + " or, " + template.KeepLiteral
	case mayBe:
		return message + "; " + template.KeepLiteral
	}
	return message
}

// isFreeText reports whether the text under keys is one that other programs read.
func isFreeText(keys []any) bool {
	return len(keys) > 1 && keys[0] == "cloudInit" &&
		slices.Contains([]any{"userData", "networkData", "runcmd", "extra"}, keys[1])
}

// find returns the node under keys, or the nearest node above it, and its
// path.
func (d *draft) find(keys []any) (*source.Node, string) {
	n, path := d.entry.Keys, ""
	for _, k := range keys {
		var next *source.Node
		switch k := k.(type) {
		case string:
			next, path = n.Get(k), source.JoinPath(path, k)
		case int:
			path = source.IndexPath(path, k)
			if k < len(n.Items) {
				next = n.Items[k]
			}
		}
		if next == nil {
			return n, path
		}
		n = next
	}
	return n, path
}

// missing returns the message for a name that templates cannot use.
func (d *draft) missing(expr, name string) suggest.Message {
	if name == "ordinal" && d.traits.Pooled {
		return suggest.Message{
			Problem: "under `strategy: pool` all VMs are the same, and have no ordinal; use another strategy",
		}
	}
	if message, ok := template.MissingVar(expr, name, d.values()["vars"]); ok {
		return message
	}
	message := fmt.Sprintf("unknown name %q in %q; "+
		"templates see .vars, .vm (name, namespace, os, ordinal of replicas), .fleet (name) and .environment", name, expr)
	if "."+name == expr {
		message += "; " + template.KeepLiteral
	}
	return suggest.Message{Problem: message}
}
