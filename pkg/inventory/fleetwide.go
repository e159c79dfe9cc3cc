package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// wide is the set of all VMs of a fleet. It passes each to the visitor as
// soon as its wave is known, and keeps a record for the checks that need all
// of them.
type wide struct {
	fleet *fleet.Fleet
	visit Visitor
	diags *source.Diagnostics // of the fleet

	mu      sync.Mutex // guards records until all VMs are added
	records []*record
	pods    map[string]*podLabels // by namespace
}

// add adds a VM of an entry, whose problems are in diags. The VM is
// visited immediately, unless its wave depends on those of others.
func (w *wide) add(m *machine.Machine, diags *source.Diagnostics) {
	r := newRecord(m)
	switch {
	case m.Broken:
		w.show(m, r, diags)
	case len(m.DependsOn) > 0:
		r.waiting = m
	default:
		if given := r.given; given != nil {
			m.Wave, r.wave = given.number, given.number
		}
		w.show(m, r, diags)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records = append(w.records, r)
	w.notePod(m)
}

// show visits a VM if it is selected, or a sibling of those that may be.
func (w *wide) show(m *machine.Machine, r *record, diags *source.Diagnostics) {
	if w.visit == nil {
		return
	}
	selected := w.selects(r)
	m.Sibling = !selected && m.Gate != nil && m.Entry != ""
	if selected || m.Sibling {
		w.visit(m, diags)
	}
}

// selects reports whether the options select a VM.
func (w *wide) selects(r *record) bool {
	return len(w.fleet.VMs) == 0 || slices.ContainsFunc(w.fleet.VMs, r.isNamed)
}

// check reports problems that involve several VMs, sets their waves, and
// visits those whose waves were not known before.
func (w *wide) check() {
	w.checkEmpty()
	slices.SortFunc(w.records, func(a, b *record) int {
		return cmp.Or(a.pos.Compare(b.pos), strings.Compare(a.name, b.name))
	})
	index := checkDuplicates(w.records, w.diags)
	checkUnique(w.records, w.diags)
	checkObjects(w.records, w.diags)
	checkClaims(w.records, w.diags)
	w.checkSelectors()
	w.checkPlans()
	resolveWaves(w.records, index, w.fleet.Incomplete(), w.diags)
	w.checkHooks()
	w.checkHeld()
	w.showWaiting()
	w.checkSelection()
}

// checkEmpty reports a fleet without VMs: Argo CD would prune all its VMs
// because the output is empty.
func (w *wide) checkEmpty() {
	if len(w.records) > 0 || w.fleet.Header.AllowEmpty || w.diags.HasErrors() {
		return
	}
	problem := "no VMs; if the fleet is meant to be empty, set `allowEmpty: true` in fleet.yaml"
	if w.fleet.Part() == "fleet.yaml" {
		problem = "no VMs in this file; name the directory to render those of its other files"
	}
	w.diags.Errorf(w.fleet.PartPos(), rule.NoVMs, "", "%s", problem)
}

// showWaiting visits the VMs whose waves were not known before.
func (w *wide) showWaiting() {
	var waiting []*record
	for _, r := range w.records {
		if r.waiting != nil {
			waiting = append(waiting, r)
		}
	}
	w.fleet.Parallel(len(waiting), func(start, end int) {
		var own source.Diagnostics
		for _, r := range waiting[start:end] {
			if w.fleet.Ended() {
				break
			}
			r.waiting.Wave = r.wave
			w.show(r.waiting, r, &own)
			r.waiting = nil
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.diags.Merge(&own)
	})
}

// checkSelection reports selected names that match no VM.
func (w *wide) checkSelection() {
	for _, name := range w.fleet.VMs {
		if !slices.ContainsFunc(w.records, func(r *record) bool { return r.isNamed(name) }) {
			w.diags.Errorf(source.Pos{File: "--vm"}, rule.UnknownName, "",
				"%s", suggest.Later(fmt.Sprintf("unknown VM %q", name), name, len(w.records), w.names))
		}
	}
}

// names returns the names of all VMs, sorted.
func (w *wide) names() []string {
	names := make([]string, 0, len(w.records))
	for _, r := range w.records {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
