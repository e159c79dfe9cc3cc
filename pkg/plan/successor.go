package plan

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
)

// findSuccessors finds the machines that go and come back under another name: those
// of a blue-green change, and those whose specs are equal but for names and identity.
// Only machines of which there is one on each side count.
func (p *planner) findSuccessors() {
	p.successors, p.predecessors = map[*pair]*pair{}, map[*pair]*pair{}
	gone, come := map[string][]*pair{}, map[string][]*pair{}
	anyNew := false
	for i := range p.pairs {
		anyNew = anyNew || p.pairs[i].isMachine() && p.pairs[i].old == nil
	}
	if !anyNew {
		return
	}
	for i := range p.pairs {
		switch pair := &p.pairs[i]; {
		case !pair.isMachine():
		case pair.new == nil:
			sortIn(gone, pair, decode(pair.former()))
		case pair.old == nil:
			sortIn(come, pair, decode(pair.new))
		}
	}
	for mark, from := range gone {
		to := come[mark]
		if len(from) == 1 && len(to) == 1 && p.predecessors[to[0]] == nil && p.successors[from[0]] == nil {
			p.successors[from[0]], p.predecessors[to[0]] = to[0], from[0]
		}
	}
}

func sortIn(into map[string][]*pair, pair *pair, vm tree) {
	mark := fingerprint(pair, vm)
	into[mark] = append(into[mark], pair)
}

// isBlueGreen reports whether a machine is named by its content.
func isBlueGreen(vm tree) bool { return annotation(vm, labels.Strategy) == "blue-green" }

// fingerprint returns what two machines have in common that are the same under
// different names.
func fingerprint(pair *pair, vm tree) string {
	if isBlueGreen(vm) {
		return "blue-green " + pair.id.Namespace + "/" + text(vm, "metadata", "labels", "app")
	}
	s := compact(anonymous(vm["spec"]))
	return kindOf(pair.id) + strings.ReplaceAll(s, pair.id.Name, "\x00")
}

// identityFields are the fields that differ between machines that are the same but
// for their names.
var identityFields = map[string]bool{
	"uuid": true, "serial": true, "macAddress": true, "userData": true, "networkData": true, "hostname": true,
}

// anonymous returns a copy of a value without the fields of a machine's identity.
func anonymous(v any) any {
	switch v := v.(type) {
	case tree:
		out := make(tree, len(v))
		for k, value := range v {
			if !identityFields[k] {
				out[k] = anonymous(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = anonymous(v[i])
		}
		return out
	}
	return v
}

// succession returns the causes of a machine that takes another's place.
func (p *planner) succession(was *pair) []Cause {
	old := p.subject(was)
	old.live = p.live.machine(was.id)
	causes := p.removal(old, p.links[was])
	if isBlueGreen(old.old) {
		return append(blueGreen(was), lostData(old.old, causes)...)
	}
	kept := "its disks are deleted with it"
	if syncOption(old.old, "Prune") == "false" {
		kept = "it stays, runs on, and keeps the data: " + strings.Join(diskNames(old.old), ", ")
	}
	out := []Cause{{
		Level: Recreate, Code: "renamed", Warning: true,
		Reason: fmt.Sprintf("the same machine under another name: it starts from new disks, "+
			"while %s is no longer in Git; %s", was.id, kept),
		Advice: "to keep the data, let the new entry use the old claims (disks.NAME.source.claim), " +
			"or go back to the old name",
	}}
	for _, c := range causes {
		if c.Level > Recreate {
			if c.Object.Name == "" {
				c.Object = was.id
			}
			out = append(out, c)
		}
	}
	return out
}

// blueGreen returns the cause of a new revision next to the old one.
func blueGreen(was *pair) []Cause {
	return []Cause{{
		Level: Recreate, Code: "blue-green", Key: "lifecycle",
		Reason: fmt.Sprintf("the new revision starts beside %s, "+
			"which is deleted with its disks when the new one is ready", was.id),
	}}
}

// lostData returns the causes that are about other disks than the root disk.
func lostData(vm tree, causes []Cause) []Cause {
	root := display([]string{"spec", "dataVolumeTemplates", "[" + rootDisk(vm) + "]"})
	var out []Cause
	for _, c := range causes {
		if c.Level == DataLoss && c.Path != root {
			out = append(out, c)
		}
	}
	return out
}
