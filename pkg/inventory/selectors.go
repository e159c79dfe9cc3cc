package inventory

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// selector is a label selector by which a VM is kept away from others.
type selector struct {
	path string // below the VM's
	pos  source.Pos
	// needs are the labels that a pod must have, each with its possible values: nil for any.
	needs map[string][]string
	own   bool // it cannot be for other namespaces
}

// selectorsOf returns the selectors of `topologySpreadConstraints` and of anti-affinity, which are for VMs of the
// fleet. Affinity is more often for pods of others, and so are terms with namespaces.
func selectorsOf(m *machine.Machine) []selector {
	if m.Affinity == nil && m.TopologySpreadConstraints == nil {
		return nil
	}
	if m.Entry != "" && m.Name != m.Entry+"-0" { // a later replica, whose selectors are those of the first
		return nil
	}
	var all []selector
	add := func(term *source.Node, path string, own bool) {
		n := term.Get("labelSelector")
		if !n.IsSet() || term.Get("namespaces").IsSet() || term.Get("namespaceSelector").IsSet() {
			return
		}
		if needs := needsOf(n); len(needs) > 0 {
			all = append(all, selector{path + ".labelSelector", n.Pos(), needs, own})
		}
	}
	each(m.TopologySpreadConstraints, "topologySpreadConstraints",
		func(n *source.Node, path string) { add(n, path, true) })
	anti, path := m.Affinity.Get("podAntiAffinity"), "affinity.podAntiAffinity"
	for _, f := range anti.Entries() {
		each(f.Value, path+"."+f.Key, func(n *source.Node, path string) {
			if term := n.Get("podAffinityTerm"); term != nil {
				n, path = term, path+".podAffinityTerm"
			}
			add(n, path, false)
		})
	}
	return all
}

// each calls a function with every item of a list, and its path.
func each(n *source.Node, path string, do func(*source.Node, string)) {
	if n == nil {
		return
	}
	for i, item := range n.Items {
		do(item, source.IndexPath(path, i))
	}
}

// needsOf returns the labels that a label selector of Kubernetes requires of a pod.
func needsOf(n *source.Node) map[string][]string {
	needs := map[string][]string{}
	for _, f := range n.Get("matchLabels").Entries() {
		needs[f.Key] = []string{f.Value.Text}
	}
	if list := n.Get("matchExpressions"); list != nil {
		for _, e := range list.Items {
			switch key := e.Get("key").Str(); e.Get("operator").Str() {
			case "Exists":
				needs[key] = nil
			case "In":
				each(e.Get("values"), "", func(v *source.Node, _ string) { needs[key] = append(needs[key], v.Text) })
			}
		}
	}
	maps.DeleteFunc(needs, func(key string, _ []string) bool { return isOfPlatform(key) })
	return needs
}

// isOfPlatform reports whether KubeVirt or Kubernetes may set a label on pods.
func isOfPlatform(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return strings.HasSuffix(domain, "kubevirt.io") ||
		strings.HasSuffix(domain, "kubernetes.io") && domain != "app.kubernetes.io"
}

// podLabels are the labels of the pods in one namespace: their values by their keys, and those of single pods, if they
// are few.
type podLabels struct {
	values  map[string]map[string]bool
	sets    []podSet // different ones
	more    bool     // some pods are not among the sets
	unknown bool     // patches may set others
}

// podSet are the labels of a pod, and the entry whose replicas it is one of, or "".
type podSet struct {
	labels map[string]string
	entry  string
}

// mostSets is the maximum number of different labels of pods that are compared with whole selectors.
const mostSets = 32

// noteSet adds the labels of a pod, unless another pod has the same.
func (p *podLabels) noteSet(m *machine.Machine) {
	all := m.OfPods()
	isSame := func(s podSet) bool { return s.entry == m.Entry && maps.Equal(s.labels, all) }
	switch {
	case p.more || slices.ContainsFunc(p.sets, isSame):
	case len(p.sets) == mostSets:
		p.more, p.sets = true, nil
	default:
		own := make(map[string]string, len(all))
		for key, value := range all {
			own[strings.Clone(key)] = strings.Clone(value)
		}
		p.sets = append(p.sets, podSet{own, strings.Clone(m.Entry)})
	}
}

// has reports whether a pod has all of some labels.
func (s podSet) has(needs map[string][]string) bool {
	for key, accepted := range needs {
		value, ok := s.labels[key]
		if key == labels.Group && s.entry != "" {
			value, ok = s.entry, true
		}
		if !ok || accepted != nil && !slices.Contains(accepted, value) {
			return false
		}
	}
	return true
}

// notePod adds the labels of the pod of a VM.
func (w *wide) notePod(m *machine.Machine) {
	of := w.pods[m.Namespace]
	if of == nil {
		of = &podLabels{values: map[string]map[string]bool{}}
		w.pods[m.Namespace] = of
	}
	note := func(key, value string) {
		known := of.values[key]
		if known == nil {
			known = map[string]bool{}
			of.values[strings.Clone(key)] = known
		}
		if !known[value] {
			known[strings.Clone(value)] = true
		}
	}
	for key, value := range m.OfPods() {
		note(key, value)
	}
	if m.Entry != "" {
		note(labels.Group, m.Entry)
	}
	of.unknown = of.unknown || m.Broken || len(m.Patches) > 0
	of.noteSet(m)
	for _, o := range m.Overrides {
		for _, f := range o.Get("spec", "template", "metadata", "labels").Entries() {
			note(f.Key, f.Value.Text)
			of.more = true
		}
	}
}

// missing returns a label that no pod has, all labels if no pod has them together, or "".
func (p *podLabels) missing(needs map[string][]string) string {
	if p.unknown {
		return ""
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		has, text := p.values[key], key
		if needs[key] != nil {
			text += ": " + strings.Join(needs[key], ", ")
		}
		if len(has) == 0 || needs[key] != nil && !slices.ContainsFunc(needs[key], func(v string) bool { return has[v] }) {
			return "the label " + strconv.Quote(text)
		}
		all = append(all, strconv.Quote(text))
	}
	if p.more || slices.ContainsFunc(p.sets, func(s podSet) bool { return s.has(needs) }) {
		return ""
	}
	return "the labels " + strings.Join(all, " and ")
}

// checkSelectors warns of selectors that select the pod of no VM of the fleet. A part of a fleet may be for VMs of
// another part.
func (w *wide) checkSelectors() {
	if w.fleet.Part() != "." || len(w.fleet.VMs) > 0 || w.fleet.Incomplete() || w.diags.HasErrors() {
		return
	}
	for _, r := range w.records {
		for _, s := range r.selectors {
			label := w.pods[r.namespace].missing(s.needs)
			if label == "" {
				continue
			}
			others := ""
			if !s.own {
				others = ", or `namespaces` of the term for pods of others"
			}
			w.diags.Warnf(s.pos, rule.NoMatch, r.path()+"."+s.path, "no VM in the namespace %q has a pod with %s; "+
				"pods have the `labels` of their VM, and those of `replicas` also %q: use one of them%s",
				r.namespace, label, labels.Group+": "+r.group, others)
		}
	}
}
