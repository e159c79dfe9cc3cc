package layers

import (
	"bytes"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// agreement is a value that two charts must agree on; apps/layers.yaml documents the
// fields.
type agreement struct {
	From place  `json:"from"`
	If   string `json:"if,omitempty"`
	As   string `json:"as,omitempty"` // how the value becomes the other
	To   place  `json:"to"`
}

// asPlacement is a name of a pool that becomes a placement of pods.
const asPlacement = "placement"

// place is a value of a chart.
type place struct {
	Chart string `json:"chart"`
	Value string `json:"value"` // keys, joined by dots
}

func (p *place) keys() []string { return strings.Split(p.Value, ".") }

// agree sets the values of layers that follow from other layers, and reports those that contradict them. A layer that
// is paused must change nothing that is applied, and Git does not know what is: then the other layer has to say the
// value itself. One that shows what it would change takes the other layer with it.
func (p *loaded) agree(diags *source.Diagnostics) {
	for _, a := range table().Agree {
		from, to := p.layerOf(a.From.Chart), p.layerOf(a.To.Chart)
		if from == nil || to == nil || !to.managed() {
			continue
		}
		value := from.effective(&a)
		set := to.Values.Get(a.To.keys()...)
		paused := !from.managed() || from.Action == "Ignore"
		switch {
		case value == nil:
		case set.IsSet():
			if from.automated() || !to.automated() {
				checkAgreed(from, to, &a, value, set, diags)
			}
		case paused && to.automated():
			reportPaused(from, to, &a, value, diags)
		default:
			if to.automated() && !value.Equal(to.byDefault(&a)) {
				p.agreed[to.name] = append(p.agreed[to.name], from.name)
			}
			to.Values = source.Merge(nest(a.To.keys(), value), orEmpty(to.Values))
		}
	}
}

// reportPaused reports a value of a layer that is applied, which follows from one that is paused, unless the chart has
// it by default.
func reportPaused(from, to *layer, a *agreement, value *source.Node, diags *source.Diagnostics) {
	if value.Equal(to.byDefault(a)) {
		return
	}
	why := "is not managed"
	if from.managed() {
		why = "is paused"
	}
	diags.Errorf(to.key, rule.Conflict, to.path+".values."+a.To.Value,
		"missing; %s.values.%s, from which it follows, is %s, and that layer %s: set what is applied now",
		from.path, a.From.Value, source.AppendJSON(nil, value), why)
}

// byDefault returns the value that the chart of a layer has by default, or nil.
func (l *layer) byDefault(a *agreement) *source.Node {
	c, err := openChart(l.entry.Name)
	if err != nil {
		return nil
	}
	return c.defaults.Get(a.To.keys()...)
}

// layerOf returns the layer of a chart, or nil.
func (p *loaded) layerOf(chart string) *layer {
	i := slices.IndexFunc(p.layers, func(l layer) bool { return l.entry.Name == chart })
	if i < 0 {
		return nil
	}
	return &p.layers[i]
}

// effective returns the value of a layer that an agreement is about, or nil if it has
// none. A chart that cannot be opened is reported where it is rendered.
func (l *layer) effective(a *agreement) *source.Node {
	c, err := openChart(l.entry.Name)
	if err != nil {
		return nil
	}
	values := source.Merge(c.defaults, orEmpty(l.Values))
	if a.If != "" {
		if on := values.Get(strings.Split(a.If, ".")...); on == nil || on.Text != "true" {
			return nil
		}
	}
	if a.As == asPlacement {
		if pool := platform.VMPool(values); pool != nil {
			return pool.Placement()
		}
		return nil
	}
	if value := values.Get(a.From.keys()...); value.IsSet() {
		return value
	}
	return nil
}

// checkPool reports a placement that keeps pods from the pool that runs VMs.
func checkPool(from, to *layer, a *agreement, set *source.Node, diags *source.Diagnostics) {
	pool, path := platform.VMPool(from.Values), to.path+".values."+a.To.Value
	if pool == nil {
		return
	}
	if label := pool.Missing(set.Get("nodeSelector")); label != nil {
		diags.Errorf(label.Pos(), rule.Conflict, path+".nodeSelector."+label.Key,
			"no label of the pool %q in %s, which runs VMs; remove the placement, which then follows from the pool",
			pool.Name, from.path)
	}
	if taint := pool.Untolerated(set.Get("tolerations")); taint != "" {
		diags.Errorf(set.Pos(), rule.Conflict, path+".tolerations",
			"do not tolerate %q of the pool %q in %s, which runs VMs; remove the placement, which then follows from the pool",
			taint, pool.Name, from.path)
	}
}

func checkAgreed(from, to *layer, a *agreement, value, set *source.Node, diags *source.Diagnostics) {
	if a.As == asPlacement { // which can say more than the pool
		checkPool(from, to, a, set, diags)
		return
	}
	here, there := source.AppendJSON(nil, set), source.AppendJSON(nil, value)
	if !bytes.Equal(here, there) {
		diags.Errorf(set.Pos(), rule.Conflict, to.path+".values."+a.To.Value,
			"is %s here, and %s in %s.values.%s%s; set it in one of them",
			here, there, from.path, a.From.Value, platform.Origin(from.Values.Get(a.From.keys()...), set))
	}
}

func orEmpty(n *source.Node) *source.Node {
	if n == nil {
		return &source.Node{Kind: source.Map}
	}
	return n
}

// nest returns maps that lead to a value.
func nest(keys []string, value *source.Node) *source.Node {
	for _, key := range slices.Backward(keys) {
		field := source.Field{Key: key, Line: value.Line, Col: value.Col, Value: value}
		value = &source.Node{
			Kind: source.Map, File: value.File, Line: value.Line, Col: value.Col, Fields: []source.Field{field},
		}
	}
	return value
}
