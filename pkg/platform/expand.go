package platform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// literal are the keys of a platform whose values are not templates: what decides which
// files are read, and what templates see.
var literal = map[string]bool{"apiVersion": true, "kind": true, "base": true, "environment": true, "vars": true}

// expand expands the templates of the merged files. The platform's name comes first,
// because the others can contain it.
func (d *Document) expand(merged *source.Node, diags *source.Diagnostics) {
	d.data = map[string]any{"vars": map[string]any{}}
	if d.Vars != nil {
		d.data["vars"] = d.Vars.Plain()
	}
	if env := merged.Get("environment"); env.Str() != "" {
		d.data["environment"] = env.Text
	}
	tree := *merged
	tree.Fields = append([]source.Field(nil), merged.Fields...)
	d.Tree = &tree
	for _, metadata := range []bool{true, false} {
		for i := range tree.Fields {
			f := &tree.Fields[i]
			switch {
			case metadata != (f.Key == "metadata"):
			case literal[f.Key]:
				reportUnexpanded(f.Value, f.Key, diags)
			default:
				f.Value = d.Expand(f.Value, f.Key, diags)
			}
		}
		d.data["platform"] = map[string]any{"name": tree.Get("metadata", "name").Str()}
	}
}

// Expand returns a tree with the templates in its strings expanded. A string that is
// nothing but the name of a var becomes the var's value, which may also be a number, a
// boolean, a list or a map.
func (d *Document) Expand(n *source.Node, path string, diags *source.Diagnostics) *source.Node {
	if n == nil || !hasTemplates(n) {
		return n
	}
	out := *n
	switch n.Kind {
	case source.Map:
		out.Fields = make([]source.Field, len(n.Fields))
		for i, f := range n.Fields {
			if template.Is(f.Key) {
				reportKey(&f, path, diags)
			}
			f.Value = d.Expand(f.Value, source.JoinPath(path, f.Key), diags)
			out.Fields[i] = f
		}
	case source.List:
		out.Items = make([]*source.Node, len(n.Items))
		for i, item := range n.Items {
			out.Items[i] = d.Expand(item, source.IndexPath(path, i), diags)
		}
	case source.String:
		return d.expandString(n, path, diags)
	}
	return &out
}

func hasTemplates(n *source.Node) bool {
	if n.Kind == source.String && template.Is(n.Text) {
		return true
	}
	for i := range n.Fields {
		if template.Is(n.Fields[i].Key) || hasTemplates(n.Fields[i].Value) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, hasTemplates)
}

// onlyVar matches a template that is nothing but the name of a var.
var onlyVar = lazyregexp.New(`^\{\{\s*\.vars\.([A-Za-z_][\w.]*)\s*\}\}$`)

func (d *Document) expandString(n *source.Node, path string, diags *source.Diagnostics) *source.Node {
	// Templates that took too much work together are reported once, at the one that did.
	if !template.Is(n.Text) || d.templates.Exhausted() {
		return n
	}
	if m := onlyVar().FindStringSubmatch(n.Text); m != nil {
		if v := d.Vars.Get(strings.Split(m[1], ".")...); v.IsSet() && v.Kind != source.String {
			return source.Reposition(v, n)
		}
	}
	text, problem := d.templates.Expand(n.Text, template.Map(d.data))
	if problem != nil {
		d.report(problem, n, path, diags)
		return n
	}
	out := *n
	out.Text = text
	return &out
}

// report reports a problem in a template at its position inside the string.
func (d *Document) report(p *template.Problem, n *source.Node, path string, diags *source.Diagnostics) {
	at := n.Pos()
	if p.Line > 0 {
		at = source.Inside(n, p.Line, p.Col)
	}
	message := suggest.Message{Problem: p.Message}
	if p.Missing != "" {
		message = d.missing(p.Expr, p.Missing)
	}
	diags.Errorf(at, rule.Template, path, "template: %s", message)
}

// missing returns the message for a name that templates cannot use.
func (d *Document) missing(expr, name string) suggest.Message {
	if message, ok := template.MissingVar(expr, name, d.data["vars"]); ok {
		return message
	}
	if expr == ".environment" {
		return suggest.Message{Problem: "the platform has no environment; set `environment`"}
	}
	message := fmt.Sprintf("unknown name %q in %q; templates see .vars, .platform (name) and .environment", name, expr)
	if "."+name == expr {
		message += "; " + template.KeepLiteral
	}
	return suggest.Message{Problem: message}
}

// reportUnexpanded reports templates where none are expanded: they would reach a
// manifest as text.
func reportUnexpanded(n *source.Node, path string, diags *source.Diagnostics) {
	if n.Kind == source.String && template.Is(n.Text) {
		diags.Errorf(n.Pos(), rule.Template, path, "template: not expanded here; expected text without {{")
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if template.Is(f.Key) {
			reportKey(f, path, diags)
		}
		reportUnexpanded(f.Value, source.JoinPath(path, f.Key), diags)
	}
	for i, item := range n.Items {
		reportUnexpanded(item, source.IndexPath(path, i), diags)
	}
}

func reportKey(f *source.Field, path string, diags *source.Diagnostics) {
	diags.Errorf(f.Pos(), rule.Template, source.JoinPath(path, f.Key),
		"template: not expanded in a key; expected text without {{")
}
