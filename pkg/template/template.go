// Package template expands Go templates in strings. It does not depend on YAML
// or VMs.
//
// Templates come from repositories that the operator of a shared Argo CD does
// not control, and the sidecar that expands them serves every tenant. Therefore
// the package guarantees:
//
//   - The same string and data give the same result. There are no functions that
//     read the clock, the environment, the network or random numbers, or that
//     print memory addresses ([FunctionNames] lists the functions that exist).
//   - No template sees or changes the data of another: there are no functions
//     that write to the maps they are passed.
//   - Every expansion ends. Each function call, each iteration of a loop and each
//     call of a template is charged to a meter with a fixed budget (meter.go,
//     steps.go). A table contains the cost of a call beyond reading its arguments
//     once, by function (cost.go).
//   - Results are bounded: at most 1 MiB of valid UTF-8 per string. Templates
//     that loop or call functions accept at most 1 MiB of data.
//   - A [Problem] is one line of at most 300 bytes, with a position inside the
//     string.
//
// The bounds limit work, not time, so that the result does not depend on the
// speed of the computer.
package template

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"unicode/utf8"
)

// maxText is the maximum length of a template and of its result, in bytes.
const maxText = 1 << 20

// Is reports whether a string is a template.
func Is(text string) bool { return strings.Contains(text, "{{") }

// Set contains parsed templates. The zero value is ready to use, and safe for
// concurrent use.
type Set struct {
	parsed  sync.Map     // text → *parsedText
	used    atomic.Int64 // work of all templates
	weighed atomic.Pointer[weighed]
}

// Data is what a template can use.
type Data interface {
	// Text returns the string at a path of keys in the values, and true. It may return false for any path, so that most
	// templates, which insert a few strings, do not need the values as a map.
	Text(path []string) (string, bool)
	// Values returns all values. Its entry "vars" contains the values from users.
	Values() map[string]any
}

// Map is [Data] that exists as a map.
type Map map[string]any

// Text returns false: the string is in the map.
func (m Map) Text([]string) (string, bool) { return "", false }

// Values returns the map.
func (m Map) Values() map[string]any { return m }

// Expand expands a template. The problem is nil if there is none.
func (s *Set) Expand(text string, data Data) (string, *Problem) {
	return s.ExpandWithin(new(Work), text, data)
}

// ExpandWithin expands a template like [Set.Expand], and charges its work to a group of templates too.
func (s *Set) ExpandWithin(group *Work, text string, data Data) (string, *Problem) {
	p := s.parse(text)
	if p.err != nil {
		return "", problem(text, p.err)
	}
	out, err := s.execute(p, group, data)
	if err != nil {
		return "", problem(text, err)
	}
	return out, nil
}

// parsedText is a parsed template, or the error of parsing it.
type parsedText struct {
	simple simpleText // nil if the template does more than insert values
	work   int        // of the text itself
	tmpl   *template.Template
	steps  *steps
	runs   sync.Pool // of *run, if the steps are metered
	err    error
}

var errLongTemplate = fmt.Errorf("is longer than %d bytes", maxText)

func (s *Set) parse(text string) *parsedText {
	if p, ok := s.parsed.Load(text); ok {
		return p.(*parsedText)
	}
	p := &parsedText{err: errLongTemplate}
	if len(text) <= maxText {
		p.parse(text)
	}
	if p.err == nil {
		p.steps = countSteps(p.tmpl)
		p.work = len(text) + p.steps.parts*nodeWork
	}
	s.parsed.Store(text, p)
	return p
}

// parse parses the template. One that only inserts values gets no functions, whose table takes as long as rendering a
// VM.
func (p *parsedText) parse(text string) {
	if p.tmpl, p.err = empty().Parse(text); p.err == nil {
		p.simple = simplify(p.tmpl.Root)
	}
	if p.simple == nil {
		p.tmpl, p.err = empty().Funcs(hermetic()).Parse(text)
	}
}

func empty() *template.Template { return template.New("t").Option("missingkey=error") }

// execute expands a template. Its functions and loops, and those of its group and of all templates, together do a
// bounded amount of work.
func (s *Set) execute(p *parsedText, group *Work, in Data) (string, error) {
	if err := s.charge(group, p.work); err != nil {
		return "", err
	}
	if p.simple != nil {
		if text, ok := p.simple.expand(in); ok {
			return text, nil
		}
	}
	data := in.Values()
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
	if err := s.checkVars(group, data["vars"]); err != nil {
		return "", err
	}
	left := min(maxWork, maxGroup-group.used)
	r.meter.left = left
	out, err := executed(r.tmpl, data)
	switch spent := s.charge(group, left-r.meter.left); {
	case spent != nil:
		return "", spent
	case left < maxWork && errors.Is(err, errTooMuch):
		return "", errGroup
	}
	return out, err
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

// errNotText rejects bytes that no manifest can contain; b64dec and trunc can
// produce them.
var errNotText = errors.New("makes text that is not valid UTF-8")

// bounded is a string builder with limited length.
type bounded struct{ strings.Builder }

// noValue is what text/template writes for nil (text/template, exec.go, printableValue, Go 1.26), such as the
// first item of an empty list.
const noValue = "<no value>"

var errNoValue = errors.New("an expression has no value; give it one with `default`")

var errTooLong = fmt.Errorf("makes more than %d bytes", maxText)

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errTooLong
	}
	if string(p) == noValue {
		return 0, errNoValue
	}
	return b.Builder.Write(p)
}
