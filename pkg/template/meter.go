package template

import (
	"fmt"
	"reflect"
	"text/template"
)

// maxWork is the maximum work of the functions and loops of one string, in
// bytes that they read or produce. That takes a second at most; see also work.go.
const maxWork = 16 << 20

// nodeWork is the cost of a part of a template each time it is executed.
const nodeWork = 32

var errTooMuch = fmt.Errorf("takes too much work: its functions and loops read and make more than %d MiB", maxWork>>20)

// meter counts down the remaining work of one expansion.
type meter struct{ left int }

func (m *meter) charge(work int) error {
	if work > m.left {
		m.left = 0
		return errTooMuch
	}
	m.left -= work
	return nil
}

// run is a template whose functions and loops are metered.
type run struct {
	tmpl  *template.Template
	meter meter
}

// newRun binds the functions that a template calls to a new meter.
func newRun(tmpl *template.Template, calls map[string]bool) (*run, error) {
	clone, err := tmpl.Clone()
	if err != nil {
		return nil, err
	}
	r := &run{}
	funcs := template.FuncMap{}
	for name := range calls {
		funcs[name] = r.meter.metered(hermetic()[name], costs[name])
	}
	funcs[stepFunc] = func(work int) (string, error) { return "", r.meter.charge(work) }
	r.tmpl = clone.Funcs(funcs)
	return r, nil
}

var errorType = reflect.TypeFor[error]()

// metered returns fn with a charge for what each call reads before it, and for
// what it returns after it.
func (m *meter) metered(fn any, more cost) any {
	f := reflect.ValueOf(fn)
	t := f.Type()
	call := f.Call
	if t.IsVariadic() {
		call = f.CallSlice
	}
	fail := func(err error) []reflect.Value {
		return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(&err).Elem()}
	}
	return reflect.MakeFunc(withError(t), func(args []reflect.Value) []reflect.Value {
		if err := m.charge(m.workOf(args, more)); err != nil {
			return fail(err)
		}
		out := call(args)
		if len(out) == 2 && !out[1].IsNil() {
			return out
		}
		return []reflect.Value{out[0], fail(m.charge(weigh(out[0], m.left)))[1]}
	}).Interface()
}

// workOf returns the cost of a call, without that of its result.
func (m *meter) workOf(args []reflect.Value, more cost) int {
	total := nodeWork
	for _, a := range args {
		if total += weigh(a, m.left); total > m.left {
			return total
		}
	}
	if more != nil {
		total += more(args)
	}
	return total
}

// withError returns the type of a function with an error as its second result.
func withError(t reflect.Type) reflect.Type {
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	return reflect.FuncOf(in, []reflect.Type{t.Out(0), errorType}, t.IsVariadic())
}
