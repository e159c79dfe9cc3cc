package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/vmrender/vmrender/pkg/source"
)

// maxText is how long an expanded string may get, in bytes.
const maxText = 1 << 20

// maxSteps is how often the loops and calls of one string may run.
const maxSteps = 100_000

// templates are parsed strings, shared by all VMs that inherit them.
type templates struct {
	parsed sync.Map // text → *parsedText
}

type parsedText struct {
	tmpl  *template.Template
	loops bool
	err   error
}

func (t *templates) parse(text string) *parsedText {
	if p, ok := t.parsed.Load(text); ok {
		return p.(*parsedText)
	}
	p := &parsedText{}
	p.tmpl, p.err = template.New("t").Option("missingkey=error").Funcs(hermetic()).Parse(text)
	if p.err == nil {
		for _, named := range p.tmpl.Templates() {
			p.loops = countSteps(named.Root) || p.loops
		}
	}
	t.parsed.Store(text, p)
	return p
}

// errEndless stops a string whose expansion does not.
var errEndless = fmt.Errorf("takes more than %d steps", maxSteps)

// execute expands the string; its loops and calls together have a bounded number of steps.
func (p *parsedText) execute(data map[string]any) (string, error) {
	tmpl := p.tmpl
	if p.loops {
		clone, err := tmpl.Clone()
		if err != nil {
			return "", err
		}
		steps := 0
		tmpl = clone.Funcs(template.FuncMap{stepFunc: func() (string, error) {
			if steps++; steps > maxSteps {
				return "", errEndless
			}
			return "", nil
		}})
	}
	var out bounded
	if err := tmpl.Execute(&out, data); err != nil {
		return "", err
	}
	return out.String(), nil
}

// bounded is a text of limited length.
type bounded struct{ strings.Builder }

var errTooLong = fmt.Errorf("makes more than %d bytes", maxText)

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
}

// stepFunc is called at the start of every round of a loop, and with every
// template that is called.
const stepFunc = "vmrenderStep"

// countSteps puts calls of stepFunc into a parsed template, where something can repeat.
func countSteps(list *parse.ListNode) bool {
	if list == nil {
		return false
	}
	found := false
	nodes := make([]parse.Node, 0, len(list.Nodes))
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.RangeNode:
			countSteps(n.List)
			countSteps(n.ElseList)
			n.List.Nodes = append([]parse.Node{stepNode()}, n.List.Nodes...)
			found = true
		case *parse.IfNode:
			found = anyOf(countSteps(n.List), countSteps(n.ElseList), found)
		case *parse.WithNode:
			found = anyOf(countSteps(n.List), countSteps(n.ElseList), found)
		case *parse.TemplateNode:
			nodes = append(nodes, stepNode())
			found = true
		}
		nodes = append(nodes, n)
	}
	list.Nodes = nodes
	return found
}

func anyOf(bs ...bool) bool {
	for _, b := range bs {
		if b {
			return true
		}
	}
	return false
}

func stepNode() parse.Node {
	t := template.Must(template.New("").Funcs(template.FuncMap{stepFunc: func() string { return "" }}).Parse("{{" + stepFunc + "}}"))
	return t.Root.Nodes[0]
}

// expander expands the templates of one machine.
type expander struct {
	*subject
	ordinal *int
	data    map[string]any // made when the first template is met
}

func (s *subject) newExpander(ordinal *int) expander { return expander{subject: s, ordinal: ordinal} }

// expand expands the string that stands under keys (map keys and list indices).
func (x *expander) expand(text string, keys ...any) string {
	if !isTemplate(text) {
		return text
	}
	p := x.loader.texts.parse(text)
	err := p.err
	if err == nil {
		var out string
		if out, err = p.execute(x.values()); err == nil {
			return out
		}
	}
	x.fail(err, keys)
	return ""
}

func (x *expander) expandMap(in map[string]string, key string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]string, len(in))
	for k, v := range in {
		out[k] = x.expand(v, key, k)
	}
	return out
}

func (x *expander) expandList(in []string, keys ...any) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = x.expand(v, append(keys[:len(keys):len(keys)], i)...)
	}
	return out
}

// values are what templates see.
func (x *expander) values() map[string]any {
	if x.data != nil {
		return x.data
	}
	vm := map[string]any{"name": x.m.Name, "namespace": x.m.Namespace, "os": x.os.Name}
	x.data = map[string]any{
		"vars":  x.loader.vars(source.Merge(x.node.Get("vars"), x.sets)),
		"vm":    vm,
		"fleet": map[string]any{"name": x.m.Fleet},
	}
	if x.ordinal != nil {
		vm["ordinal"], x.data["ordinal"] = *x.ordinal, *x.ordinal
	}
	return x.data
}

// vars turns the tree of vars into Go values; VMs that inherit all theirs share them.
func (l *loader) vars(n *source.Node) any {
	if n == nil {
		return map[string]any{}
	}
	if v, ok := l.varsOf.Load(n); ok {
		return v
	}
	v := goValue(n)
	l.varsOf.Store(n, v)
	return v
}

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

var (
	templateError = regexp.MustCompile(`^template: [^:]*:(\d+)(?::(\d+))?: (?:executing "[^"]*" at <([^>]*)>: )?(?s:(.*))$`)
	calling       = regexp.MustCompile(`^error calling \w+: `)
	missingEntry  = regexp.MustCompile(`map has no entry for key "([^"]*)"`)
)

// fail reports what went wrong with a template at its place inside the string.
func (x *expander) fail(err error, keys []any) {
	n, path := x.find(keys)
	at := n.Pos()
	problem := err.Error()
	if m := templateError.FindStringSubmatch(problem); m != nil {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		at, problem = source.Inside(n, line, max(col, 0)+1), m[4]
		if missing := missingEntry.FindStringSubmatch(problem); missing != nil {
			problem = x.missing(m[3], missing[1])
		}
	}
	if errors.Is(err, errEndless) || errors.Is(err, errTooLong) {
		at = n.Pos()
	}
	x.errorf(at, "template", path, "template: %s", calling.ReplaceAllString(problem, ""))
}

// missing words the error for a name that templates do not see.
func (x *expander) missing(at, name string) string {
	if !strings.HasPrefix(at, ".vars.") {
		return fmt.Sprintf("unknown name %q in %q; templates see .vars, .vm (name, namespace, os, ordinal of replicas) and .fleet (name)", name, at)
	}
	vars, _ := x.values()["vars"].(map[string]any)
	known := make([]string, 0, len(vars))
	for k := range vars {
		known = append(known, k)
	}
	if len(known) == 0 {
		return fmt.Sprintf("missing variable %q; set it under `vars` or with --set", name)
	}
	return fmt.Sprintf("missing variable %q; %s", name, source.DidYouMean(name, known))
}

// find gives the node under keys, or the nearest above it, and its path.
func (x *expander) find(keys []any) (*source.Node, string) {
	n, path := x.node, ""
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
