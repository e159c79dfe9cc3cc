package inventory

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// terms are what all VMs of a plan agree on, by the key that sets it.
type terms [6]struct{ key, value string }

// planned is a VM of a plan, for checks across VMs.
type planned struct {
	name  string
	vm    string // in vSphere
	terms terms
	hooks map[string]hookSum // by step
}

func newPlanned(m *machine.Migration) *planned {
	if m == nil || m.Ended() {
		return nil
	}
	network := ""
	if m.TransferNetwork != nil {
		network = m.TransferNetwork.Namespace + "/" + m.TransferNetwork.Name
	}
	return &planned{
		name: strings.Clone(m.Plan), vm: strings.Clone(cmp.Or(m.VM.ID, m.VM.Name)),
		terms: terms{
			{"provider", strings.Clone(m.Provider.Namespace + "/" + m.Provider.Name)},
			{"warm", strconv.FormatBool(m.Warm)},
			{"run", strconv.Itoa(m.Run)},
			{"cutover", strings.Clone(m.Cutover)},
			{"preserveStaticIPs", strconv.FormatBool(m.PreserveStaticIPs)},
			{"transferNetwork", strings.Clone(network)},
		},
		hooks: hookSums(m.Hooks),
	}
}

// checkPlans reports VMs of one plan that do not agree on it, or of which only some are selected, and those that
// are the same VM of vSphere.
func (w *wide) checkPlans() {
	type vm struct{ provider, name string }
	first, moved, diags := map[machineKey]*record{}, map[vm]*record{}, w.diags
	hooks := planHooks{}
	for _, r := range w.records {
		if r.planned == nil {
			continue
		}
		plan := machineKey{r.namespace, r.planned.name}
		if other := first[plan]; other == nil {
			first[plan] = r
		} else {
			r.checkTerms(other, diags)
			w.checkSelected(other, r)
		}
		hooks.check(r, diags)
		from := vm{r.planned.terms[0].value, r.planned.vm}
		if other := moved[from]; other != nil {
			diags.Errorf(r.pos, rule.Duplicate, r.path()+".migrate.vm", "%q of vSphere is also the VM %q at %s; it moves once",
				from.name, other.name, catalog.Where(other.pos))
			continue
		}
		moved[from] = r
	}
}

// checkSelected reports two VMs of a plan of which one is selected: the Plan would lose the other.
func (w *wide) checkSelected(a, b *record) {
	if w.selects(a) != w.selects(b) && !w.fleet.Alone {
		w.diags.Errorf(source.Pos{File: "--vm"}, rule.Conflict, "", "the VMs %q and %q move together, by the plan %q; "+
			"select both, or none", a.name, b.name, a.planned.name)
	}
}

// checkTerms reports what a VM sets differently from the first VM of its plan.
func (r *record) checkTerms(first *record, diags *source.Diagnostics) {
	for i, term := range r.planned.terms {
		if other := first.planned.terms[i].value; other != term.value {
			diags.Errorf(r.pos, rule.Conflict, r.path()+".migrate."+term.key,
				"%q, and %q for the VM %q at %s; the VMs of the plan %q move together: set it once, for all of them",
				term.value, other, first.name, catalog.Where(first.pos), r.planned.name)
		}
	}
}

// hookSum is the same for the same hooks only.
type hookSum [sha256.Size]byte

// hookSums returns the sums of hooks, by step.
func hookSums(hooks []machine.MigrationHook) map[string]hookSum {
	if len(hooks) == 0 {
		return nil
	}
	out := make(map[string]hookSum, len(hooks))
	for _, h := range hooks {
		out[h.Step] = sha256.Sum256(fmt.Appendf(nil, "%#v", h))
	}
	return out
}

// planHooks are the first VMs with a hook of each plan, by the hook's step.
type planHooks map[planStep]*record

type planStep struct{ namespace, plan, step string }

// check reports hooks of a VM that differ from those of the other VMs of its plan: forklift continues with the
// names that a VM's hooks had in its first run, so they are those of the Plan and the step (kubev2v/forklift
// v2.12.5, pkg/controller/plan/migrator/base/migrator.go, Status).
func (p planHooks) check(r *record, diags *source.Diagnostics) {
	for _, step := range machine.HookSteps {
		sum, ok := r.planned.hooks[step]
		if !ok {
			continue
		}
		key := planStep{r.namespace, r.planned.name, step}
		first := cmp.Or(p[key], r)
		p[key] = first
		if first.planned.hooks[step] != sum {
			diags.Errorf(r.pos, rule.Conflict, r.path()+".migrate.hooks."+step,
				"not the hook of the VM %q at %s; the VMs of the plan %q share one: set it once, for all of them, "+
					"and `hooks: {%s: null}` for those without", first.name, catalog.Where(first.pos), r.planned.name, step)
		}
	}
}
