package report

import (
	"io"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/status"
)

// StatusDocument is a status as JSON. Later versions may add keys, states and codes, and
// remove none.
type StatusDocument struct {
	// The VirtualMachines and VirtualMachinePools that are not as Git has them, worst first,
	// then by namespace and name; the others are only counted.
	VMs []StatusObject `json:"vms"`
	// The other objects that are not as Git has them, in the same order, without the disks of VMs.
	Objects []StatusObject `json:"objects"`
	// Facts about the whole, such as a sync that is running.
	Notes []string `json:"notes"`
	// Gaps in the inputs of the whole comparison.
	Unknown []string `json:"unknown"`
	// The status in counts.
	Summary StatusSummary `json:"summary"`
	// What was promised.
	Git Side `json:"git"`
	// Where it should be.
	Cluster Side `json:"cluster"`
}

// StatusSummary is a status in counts.
type StatusSummary struct {
	// The status in one line, for users.
	Headline string `json:"headline"`
	// The worst state of all VMs and other objects.
	Worst status.State `json:"worst"`
	// The number of VMs by state, with "ok" for those that are as Git has them.
	VMs map[status.State]int `json:"vms"`
}

// StatusObject is the state of one VM or other object.
type StatusObject struct {
	PlanObject
	// How far it is from what Git promises: the state of the worst fact.
	State status.State `json:"state"`
	// True if the state depends on what the inputs do not contain.
	Approximate bool `json:"approximate,omitempty"`
	// True if the VM does not run.
	Stopped bool `json:"stopped,omitempty"`
	// What keeps it from being as Git has it, worst first.
	Facts []StatusFact `json:"facts"`
}

// StatusFact is one thing that keeps a VM from being as Git has it.
type StatusFact struct {
	// How far the fact alone puts the VM from what Git promises.
	State status.State `json:"state"`
	// The kind of the fact, from a closed list.
	Code status.FactCode `json:"code"`
	// The disk that it is about, if it is about one.
	Object *PlanObject `json:"object,omitempty"`
	// The fact in a sentence, such as "waits for a restart: memory, tpm".
	Says string `json:"says"`
	// The fields that it is about.
	Fields []StatusField `json:"fields,omitempty"`
	// What to do.
	Advice string `json:"advice,omitempty"`
	// What is not known, if the fact depends on it.
	Approximate string `json:"approximate,omitempty"`
}

// StatusField is a field that is not as it should be.
type StatusField struct {
	// The path of the field, with the names of list entries in brackets.
	Path string `json:"path"`
	// The key of the values file that sets the field, such as "memory".
	Key string `json:"key,omitempty"`
	// The value that there is, as compact JSON, cut and without secrets; missing if there
	// is no value.
	Is string `json:"is,omitempty"`
	// The value that there should be, as `is`.
	Wanted string `json:"wanted,omitempty"`
	// The client that set the field, as the cluster names it.
	By string `json:"by,omitempty"`
	// The time at which it did, in RFC 3339.
	At string `json:"at,omitempty"`
}

// StatusJSON writes a [StatusDocument], for which `vmrender schema status` prints the schema.
// Lists may be empty but are never null.
func StatusJSON(w io.Writer, s Status) error { return Indented(w, s.Document()) }

// Document returns the status as it is in JSON.
func (s Status) Document() StatusDocument {
	d := StatusDocument{
		VMs: statusObjects(s.VMs), Objects: statusObjects(s.Objects),
		Notes: notNil(s.Notes), Unknown: notNil(s.Unknown), Git: s.Git, Cluster: s.Cluster,
		Summary: StatusSummary{Headline: s.Headline(), Worst: s.Worst(), VMs: s.Counts},
	}
	return d
}

// statusObjects returns the standings that are not as Git has them.
func statusObjects(list []status.Standing) []StatusObject {
	out := []StatusObject{}
	for i := range list {
		if v := &list[i]; v.State > status.StateOK {
			out = append(out, StatusObject{
				PlanObject: PlanObject(v.ID), State: v.State, Approximate: v.Approximate, Stopped: v.Stopped,
				Facts: statusFacts(v.Facts),
			})
		}
	}
	return out
}

func statusFacts(list []status.Fact) []StatusFact {
	out := make([]StatusFact, 0, len(list))
	for i := range list {
		f := &list[i]
		fact := StatusFact{State: f.State, Code: f.Code, Says: f.Says, Advice: f.Advice, Approximate: f.Approximate}
		for _, field := range f.Fields {
			fact.Fields = append(fact.Fields, StatusField(field))
		}
		if f.Object != (manifest.ID{}) {
			object := PlanObject(f.Object)
			fact.Object = &object
		}
		out = append(out, fact)
	}
	return out
}
