package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/source"
)

// maxText is how long an expanded string may get, in bytes.
const maxText = 1 << 20

// templates are parsed strings, shared by all VMs that inherit them.
type templates struct {
	parsed sync.Map // text → *parsedText
}

type parsedText struct {
	simple simpleText // nil for all but the simplest
	tmpl   *template.Template
	steps  *steps
	runs   sync.Pool // of *run, where the steps are metered
	err    error
}

var errLongTemplate = fmt.Errorf("is longer than %d bytes", maxText)

func (t *templates) parse(text string) *parsedText {
	if p, ok := t.parsed.Load(text); ok {
		return p.(*parsedText)
	}
	p := &parsedText{err: errLongTemplate}
	if len(text) <= maxText {
		p.tmpl, p.err = template.New("t").Option("missingkey=error").Funcs(hermetic()).Parse(text)
	}
	if p.err == nil {
		p.simple = simplify(p.tmpl.Root)
		p.steps = countSteps(p.tmpl)
	}
	t.parsed.Store(text, p)
	return p
}

// execute expands the string; its functions and loops together do a bounded amount of work.
func (p *parsedText) execute(data map[string]any) (string, error) {
	if p.simple != nil {
		if text, ok := p.simple.expand(data); ok {
			return text, nil
		}
	}
	if !p.steps.metered() {
		return executed(p.tmpl, data)
	}
	r, ok := p.runs.Get().(*run)
	if !ok {
		var err error
		if r, err = newRun(p.tmpl, p.steps.calls); err != nil {
			return "", err
		}
	}
	defer p.runs.Put(r)
	return r.execute(data)
}

func executed(tmpl *template.Template, data map[string]any) (string, error) {
	var out bounded
	if err := tmpl.Execute(&out, data); err != nil {
		return "", err
	}
	if !utf8.ValidString(out.String()) {
		return "", errNotText
	}
	return out.String(), nil
}

// errNotText stops bytes that no manifest can hold, as b64dec and trunc can make them.
var errNotText = errors.New("makes text that is not valid UTF-8")

// bounded is a text of limited length.
type bounded struct{ strings.Builder }

var errTooLong = fmt.Errorf("makes more than %d bytes", maxText)

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
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
		out[i] = x.expand(v, append(slices.Clip(keys), i)...)
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
		"vars":  x.vars(),
		"vm":    vm,
		"fleet": x.fleetValues(),
	}
	if x.ordinal != nil {
		vm["ordinal"], x.data["ordinal"] = *x.ordinal, *x.ordinal
	}
	return x.data
}

// fleetValues are what templates see of the fleet; all VMs share them.
func (l *loader) fleetValues() map[string]any {
	l.fleetOnce.Do(func() { l.fleetMap = map[string]any{"name": l.header.Metadata.Name} })
	return l.fleetMap
}

// vars are the VM's vars as Go values. VMs that inherit all theirs share them.
func (x *expander) vars() any {
	own := x.node.Get("vars")
	n := source.Merge(own, x.sets)
	if n == nil {
		return map[string]any{}
	}
	if own != x.inherited.Get("vars") || x.sets != nil {
		return goValue(n)
	}
	if v, ok := x.varsOf.Load(n); ok {
		return v
	}
	v := goValue(n)
	x.varsOf.Store(n, v)
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
	templateError = pattern(`^template: [^:]*:(\d+)(?::(\d+))?: (?:executing "[^"]*" at <([^>]*)>: )?(?s:(.*))$`)
	calling       = pattern(`^error calling \w+: `)
)

// fail reports what went wrong with a template at its place inside the string.
func (x *expander) fail(err error, keys []any) {
	n, path := x.find(keys)
	at := n.Pos()
	problem := err.Error()
	if m := templateError().FindStringSubmatch(problem); m != nil {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if m[2] == "" {
			col = columnOf(n.Text, line, m[4])
		}
		at, problem = source.Inside(n, line, col+1), m[4]
		problem = x.wording(m[3], problem)
	}
	if errors.Is(err, errTooMuch) || errors.Is(err, errTooLong) {
		at = n.Pos()
	}
	x.errorf(at, "template", path, "template: %s", brief(calling().ReplaceAllString(problem, "")))
}

// brief brings a problem, which functions can put anything into, on one line.
func brief(problem string) string {
	const enough = 300
	if len(problem) > enough {
		problem = strings.ToValidUTF8(problem[:enough], "") + " …"
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(problem), " "), "\ufffd")
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
