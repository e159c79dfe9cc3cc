package machine

import (
	"fmt"
	"slices"
	"strconv"
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
		out[i] = d.expand(v, append(slices.Clip(keys), i)...)
	}
	return out
}

// values returns the data for templates.
func (d *draft) values() map[string]any {
	if d.data != nil {
		return d.data
	}
	vm := map[string]any{"name": d.name, "namespace": d.namespace, "os": d.entry.OS.Name}
	d.data = map[string]any{"vars": d.vars(), "vm": vm, "fleet": d.site.goFleet}
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
		return goValue(n)
	}
	if v, ok := d.site.goVars.Load(n); ok {
		return v
	}
	v := goValue(n)
	d.site.goVars.Store(n, v)
	return v
}

// goValue converts a value to the form that templates and JSON use. It omits
// null entries of maps.
func goValue(n *source.Node) any {
	switch n.Kind {
	case source.Map:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			if f.Value.Kind != source.Null {
				m[f.Key] = goValue(f.Value)
			}
		}
		return m
	case source.List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = goValue(item)
		}
		return list
	case source.Bool:
		return strings.EqualFold(n.Text, "true")
	case source.Int:
		if i, err := strconv.Atoi(n.Text); err == nil {
			return i
		}
	case source.Float:
		if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
			return f
		}
	case source.Null:
		return nil
	}
	return n.Text
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
	d.errorf(at, rule.Template, path, "template: %s", message)
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
	if !strings.HasPrefix(expr, ".vars.") {
		message := fmt.Sprintf("unknown name %q in %q; "+
			"templates see .vars, .vm (name, namespace, os, ordinal of replicas) and .fleet (name)", name, expr)
		if "."+name == expr {
			message += "; " + template.KeepLiteral
		}
		return message
	}
	known := d.varsNextTo(expr, name)
	if len(known) == 0 {
		return fmt.Sprintf("missing variable %q; set it under `vars` or with --set", name)
	}
	return fmt.Sprintf("missing variable %q; %s", name, suggest.DidYouMean(name, known))
}

// varsNextTo returns the keys of the map in which an expression such as
// .vars.dns.servers looks for a name.
func (d *draft) varsNextTo(expr, name string) []string {
	vars, _ := d.values()["vars"].(map[string]any)
	for _, key := range strings.Split(expr, ".")[2:] {
		if key == name {
			break
		}
		vars, _ = vars[key].(map[string]any)
	}
	known := make([]string, 0, len(vars))
	for k := range vars {
		known = append(known, k)
	}
	slices.Sort(known)
	return known
}
