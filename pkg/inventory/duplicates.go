package inventory

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkDuplicates reports VMs with the same name, and returns the records by
// name.
func checkDuplicates(records []*record, diags *source.Diagnostics) map[machineKey]*record {
	index := make(map[machineKey]*record, len(records))
	for _, r := range records {
		if first, ok := index[r.machineKey]; ok {
			problem := fmt.Sprintf("duplicate VM %q in namespace %q; the first is at %s",
				r.name, r.namespace, catalog.Where(first.pos))
			if r.home != first.home {
				problem += fmt.Sprintf(", and their namespaces in the files are %q and %q", r.home, first.home)
			}
			diags.Errorf(r.pos, rule.Duplicate, r.path(), "%s", problem)
			continue
		}
		index[r.machineKey] = r
	}
	return index
}

// checkUnique reports addresses and identities that more than one VM has.
func checkUnique(records []*record, diags *source.Diagnostics) {
	type holder struct {
		vm *record
		at *address
	}
	seen := make(map[addressKey]holder, len(records))
	for _, r := range records {
		for i := range r.addresses {
			a := &r.addresses[i]
			if first, ok := seen[a.addressKey]; ok {
				diags.Errorf(a.pos, rule.Duplicate, r.path()+"."+a.path, "duplicate %s %q; %s has it at %s",
					a.what, a.address, first.at.holder(first.vm.name), catalog.Where(first.at.pos))
				continue
			}
			seen[a.addressKey] = holder{r, a}
		}
	}
}

// holder returns a description of the owner of an address.
func (a *address) holder(vm string) string {
	if a.nic == "" {
		return fmt.Sprintf("the VM %q", vm)
	}
	return fmt.Sprintf("the NIC %q of the VM %q", a.nic, vm)
}

// checkObjects reports objects of different VMs that have the same name: the
// disk `b-c` of the VM `a` is `a-b-c`, and so is the disk `c` of `a-b`.
func checkObjects(records []*record, diags *source.Diagnostics) {
	type key struct{ kind, namespace, name string }
	count := 0
	for _, r := range records {
		count += len(r.objects)
	}
	seen := make(map[key]*record, count)
	for _, r := range records {
		for _, o := range r.objects {
			k := key{o.kind, r.namespace, o.name}
			if first, ok := seen[k]; ok && first.name != r.name {
				way := "rename one"
				if r.pos == first.pos { // of one entry with replicas
					way = "use `{{ .ordinal }}` in the name"
				}
				diags.Errorf(r.pos, rule.Duplicate, r.path()+"."+o.path(), "its %s %q is also one of the VM %q at %s; %s",
					o.kind, o.name, first.name, catalog.Where(first.pos), way)
				continue
			}
			seen[k] = r
		}
	}
}

// checkClaims reports disks on a claim that another VM writes to as well: an
// existing claim, or the claim of the other VM's own disk. Two guests that do not
// use it at the same time destroy a file system.
func checkClaims(records []*record, diags *source.Diagnostics) {
	type key struct{ namespace, name string }
	type writer struct {
		vm     *record
		shared bool
	}
	if !slices.ContainsFunc(records, func(r *record) bool { return len(r.claims) > 0 }) {
		return
	}
	seen := map[key]writer{}
	for _, r := range records {
		for _, o := range r.objects {
			if o.writes {
				seen[key{r.namespace, o.name}] = writer{r, o.shared}
			}
		}
	}
	for _, r := range records {
		for _, c := range r.claims {
			k := key{r.namespace, c.name}
			first, ok := seen[k]
			switch {
			case !ok:
				seen[k] = writer{r, c.shared}
			case first.vm != r && !(first.shared && c.shared):
				diags.Errorf(c.pos, rule.Duplicate, r.path()+"."+c.path,
					"the claim %q is written to by the VM %q at %s as well; set `readOnly: true`, or `shareable: true` on both",
					c.name, first.vm.name, catalog.Where(first.vm.pos))
			}
		}
	}
}
