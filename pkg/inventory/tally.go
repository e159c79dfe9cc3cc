package inventory

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// What a VM counts for in addition to 1, so that each 1 takes about the same time, 25 µs of a CPU. Replicas count for
// more: the size of the files limits the number of other VMs.
const (
	valuesPatched  = 50  // values of overrides and patches for 1
	patchedMore    = 3   // a replica with overrides or patches, whose result is read and checked again
	templatesMore  = 1   // a replica with templates
	valuesReplaced = 200 // values of a replica for 1, even if none of them is rendered
)

// tally counts VMs against [fleet.Options.MostVMs]. It is safe for concurrent use.
type tally struct {
	most int // 0 if there is no bound

	mu      sync.Mutex
	total   int
	entries []tallied
}

// tallied is an entry with the number that its VMs count as.
type tallied struct {
	pos        source.Pos
	path       string
	vms, count int
}

// add adds the VMs of an entry, and reports whether all until now are within the bound.
func (t *tally) add(e *fleet.Entry) bool {
	if t.most == 0 {
		return true
	}
	vms := machinesOf(e)
	count := vms * countOf(e, vms)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += count
	t.entries = append(t.entries, tallied{e.Pos, e.Path, vms, count})
	return t.total <= t.most
}

// machinesOf returns the number of VMs of an entry. A pool counts as one, because KubeVirt creates its members.
func machinesOf(e *fleet.Entry) int {
	if e.VM.Replicas == nil || e.VM.Strategy().Traits().Pooled {
		return 1
	}
	return *e.VM.Replicas
}

// countOf returns how many times a VM of an entry counts.
func countOf(e *fleet.Entry, vms int) int {
	changes := valuesOf(e.OS.Overrides) + valuesOf(e.Keys.Get("overrides")) + valuesOf(e.Keys.Get("patches"))
	count := 1 + changes/valuesPatched
	if vms == 1 {
		return count
	}
	if changes > 0 {
		count += patchedMore
	}
	if hasTemplates(e.Keys) {
		count += templatesMore
	}
	return count + (valuesOf(e.Keys)-valuesOf(e.Keys.Get("vars")))/valuesReplaced
}

// valuesOf returns the number of values in a tree.
func valuesOf(n *source.Node) int {
	if n == nil {
		return 0
	}
	count := 1
	for i := range n.Fields {
		count += valuesOf(n.Fields[i].Value)
	}
	for _, item := range n.Items {
		count += valuesOf(item)
	}
	return count
}

// hasTemplates reports whether a string in a tree is a template.
func hasTemplates(n *source.Node) bool {
	if n == nil {
		return false
	}
	inField := func(f source.Field) bool { return hasTemplates(f.Value) }
	return n.Kind == source.String && template.Is(n.Text) ||
		slices.ContainsFunc(n.Fields, inField) || slices.ContainsFunc(n.Items, hasTemplates)
}

// isOver reports whether the VMs exceed the bound.
func (t *tally) isOver() bool { return t.most > 0 && t.total > t.most }

// report reports the first entry, in the order of the files, with which the VMs exceed the bound.
func (t *tally) report(diags *source.Diagnostics) {
	slices.SortFunc(t.entries, func(a, b tallied) int { return a.pos.Compare(b.pos) })
	vms, count := 0, 0
	for _, e := range t.entries {
		vms += e.vms
		if count += e.count; count <= t.most {
			continue
		}
		several := ""
		if count > vms {
			several = fmt.Sprintf(", which count as %d because of `overrides`, `patches`, or templates and values of replicas,",
				count)
		}
		diags.Errorf(e.pos, rule.OutOfRange, e.path,
			"%d VMs up to this one%s are too many for one Application; expected at most %d; "+
				"divide the fleet among several Applications", vms, several, t.most)
		return
	}
}
