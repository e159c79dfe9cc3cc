package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/vars"
)

// expand expands the string under keys (map keys and list indices).
func (d *draft) expand(text string, keys ...any) string {
	if !template.Is(text) {
		return text
	}
	out, problem := d.site.templates.Expand(text, d.values())
	if problem != nil {
		d.reportTemplate(problem, keys)
	}
	return out
}

func (d *draft) expandMap(in map[string]string, key string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]string, len(in))
	for k, v := range in {
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

// values returns the data for templates.
func (d *draft) values() map[string]any {
	if d.data != nil {
		return d.data
	}
	vm := map[string]any{"name": d.name, "namespace": d.namespace, "os": d.entry.OS.Name}
	d.data = map[string]any{"vars": d.vars(), "vm": vm, "fleet": d.site.goFleet, "environment": d.site.Environment}
	if d.ordinal != nil {
		vm["ordinal"], d.data["ordinal"] = *d.ordinal, *d.ordinal
	}
	return d.data
}

// vars returns the VM's vars as Go values. VMs whose vars are all inherited
// share them.
func (d *draft) vars() any {
	own := d.entry.Keys.Get("vars")
	n := source.Merge(own, d.site.Vars)
	if n == nil {
		return map[string]any{}
	}
	if n != own || d.entry.Own(n) {
		return vars.Value(n)
	}
	if v, ok := d.site.goVars.Load(n); ok {
		return v
	}
	v := vars.Value(n)
	d.site.goVars.Store(n, v)
	return v
}

// reportTemplate reports a problem in a template at its position inside the
// string.
func (d *draft) reportTemplate(p *template.Problem, keys []any) {
	n, path := d.find(keys)
	at := n.Pos()
	if p.Line > 0 {
		at = source.Inside(n, p.Line, p.Col)
	}
	message := p.Message
	if p.Missing != "" {
		message = d.missing(p.Expr, p.Missing)
	}
	d.errorf(at, rule.Template, path, "template: %s", withEscape(message, n.Text, p.Missing == "" && isFreeText(keys)))
}

// jinja is the header, in lower case, of user data that cloud-init itself expands.
const jinja = "## template: jinja"

// withEscape adds to a message how to write braces of another language: of Jinja, by the header of the text, or what
// may be one, because scripts and cloud-config have such braces.
func withEscape(message, text string, mayBe bool) string {
	switch {
	case strings.Contains(message, template.KeepLiteral):
	case strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), jinja):
		return message + "; the header says Jinja, which cloud-init expands: " + template.KeepLiteral
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
func (d *draft) missing(expr, name string) string {
	if name == "ordinal" && d.traits.Pooled {
		return "under `strategy: pool` all VMs are the same, and have no ordinal; use another strategy"
	}
	if message := vars.Missing(expr, name, d.values()["vars"]); message != "" {
		return message
	}
	message := fmt.Sprintf("unknown name %q in %q; "+
		"templates see .vars, .vm (name, namespace, os, ordinal of replicas), .fleet (name) and .environment", name, expr)
	if "."+name == expr {
		message += "; " + template.KeepLiteral
	}
	return message
}
