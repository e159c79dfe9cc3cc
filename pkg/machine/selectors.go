package machine

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
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

// selectors returns the selectors of `topologySpreadConstraints` and of anti-affinity, which are for VMs of the fleet.
// Affinity is more often for pods of others, and so are terms with namespaces.
func (d *draft) selectors(m *Machine) []selector {
	if m.Affinity == nil && m.TopologySpreadConstraints == nil || d.ordinal != nil && *d.ordinal > 0 {
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

// podLabels are the labels of the pods in one namespace: their values by their keys. It does not record which of them
// are of the same pod, so that it is small.
type podLabels struct {
	values  map[string]map[string]bool
	unknown bool // patches may set others
}

// notePod adds the labels of the pod of a VM.
func (w *wide) notePod(m *Machine) {
	of := w.pods[m.Namespace]
	if of == nil {
		of = &podLabels{values: map[string]map[string]bool{}}
		w.pods[m.Namespace] = of
	}
	note := func(key, value string) {
		if of.values[key] == nil {
			of.values[strings.Clone(key)] = map[string]bool{}
		}
		if !of.values[key][value] {
			of.values[key][strings.Clone(value)] = true
		}
	}
	for key, value := range m.Labels {
		note(key, value)
	}
	if m.Entry != "" {
		note(labels.Group, m.Entry)
	}
	of.unknown = of.unknown || m.Broken || len(m.Patches) > 0
	for _, o := range m.Overrides {
		for _, f := range o.Get("spec", "template", "metadata", "labels").Entries() {
			note(f.Key, f.Value.Text)
		}
	}
}

// missing returns a label that no pod has, or "".
func (p *podLabels) missing(needs map[string][]string) string {
	if p.unknown {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		has := p.values[key]
		if needs[key] == nil && len(has) == 0 {
			return key
		}
		if needs[key] != nil && !slices.ContainsFunc(needs[key], func(v string) bool { return has[v] }) {
			return key + ": " + strings.Join(needs[key], ", ")
		}
	}
	return ""
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
			w.diags.Warnf(s.pos, rule.NoMatch, r.path()+"."+s.path, "no VM in the namespace %q has a pod with the label %q; "+
				"pods have the `labels` of their VM, and those of `replicas` also %q: use one of them%s",
				r.namespace, label, labels.Group+": "+r.group, others)
		}
	}
}
