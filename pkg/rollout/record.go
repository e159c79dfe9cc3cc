package rollout

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
)

// record is what earlier rollouts leave to later ones, in annotations of the Lease.
// All of it can be deleted manually.
type record struct {
	stopped map[string]string   // content at which a rollout has stopped, by VM
	ran     map[string][]string // root disks by VM, the one that ran last first
	powered map[string]string   // how VMs got off that were to be stopped on a schedule, by VM
}

func parseRecord(annotations map[string]string) record {
	r := record{
		stopped: labels.ParsePairs(annotations[labels.Stopped]), ran: map[string][]string{},
		powered: labels.ParsePairs(annotations[labels.Powered]),
	}
	for name, disks := range labels.ParsePairs(annotations[labels.Ran]) {
		r.ran[name] = strings.Split(disks, ",")
	}
	return r
}

// annotate writes the record into annotations, and deletes one that would be empty.
func (r *record) annotate(annotations map[string]string) {
	ran := map[string]string{}
	for name, disks := range r.ran {
		ran[name] = strings.Join(disks, ",")
	}
	for key, pairs := range map[string]map[string]string{
		labels.Stopped: r.stopped, labels.Ran: ran, labels.Powered: r.powered,
	} {
		value := labels.FormatPairs(pairs)
		if value == "" {
			delete(annotations, key)
			continue
		}
		annotations[key] = value
	}
}

// stop records the VMs that a rollout which stops now leaves behind, and forgets what
// others were left behind at: it may be wanted again.
func (r *record) stop(all []observed) {
	for _, m := range all {
		delete(r.stopped, m.Name)
		if m.stage != current && m.stage != skipped {
			r.stopped[m.Name] = m.content()
		}
	}
}

// complete records that the VMs are up to date and from which root disks they run,
// and forgets disks and VMs that no longer exist.
func (r *record) complete(all []observed) {
	r.stop(all)
	ran := map[string][]string{}
	for _, m := range all {
		disks := r.ran[m.Name]
		if m.stage == current {
			disks = append(m.rootDisks(), disks...)
		}
		seen := map[string]bool{}
		disks = slices.DeleteFunc(slices.Clone(disks), func(name string) bool {
			gone := m.disks[name] == nil || seen[name]
			seen[name] = true
			return gone
		})
		if len(disks) > 0 {
			ran[m.Name] = disks
		}
	}
	r.ran = ran
}

// bars reports whether a rollout of the VM's content has stopped.
func (r *record) bars(m *machine) bool {
	content, ok := r.stopped[m.Name]
	return ok && content == m.content()
}
