package plan

import (
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Code identifies a rule in output. Codes are a closed list, [Codes], and never change
// their meaning.
type Code string

// Rule describes what a change of a field does.
type Rule struct {
	// Kind of the object, with its group: "DataVolume.cdi.kubevirt.io". Empty for the
	// kinds of VMs, or in the last rules of a table for every kind.
	Kind string
	// Path is the pattern of the field's path, or [Created] or [Removed] for the object
	// as a whole. See [pattern].
	Path string
	// If is the condition; always, if it is empty.
	If Condition
	// From and Before are the KubeVirt versions that the rule holds for, such as "1.6";
	// empty for no limit.
	From, Before string
	Level        Level
	Code         Code
	Reason       string
	Advice       string
	When         string
	// Key is the key of the values file that sets the field; "[*]" stands for the name
	// of the entry of the list, and "*" for the name of the field.
	Key string
	// Source is where the fact was read: project, version and file.
	Source string
	// Assumes names what the level assumes if the inputs leave it open.
	Assumes Assumption
	// Handled is true if KubeVirt's handler of a live change determines the level, so that it
	// waits while the VM needs a restart for another change.
	Handled bool
	// Compared is true if the level comes from comparing the VM with what was
	// started: it holds up the handled changes.
	Compared bool
	// Copies is true if KubeVirt copies a volume to another claim while the VM runs: a start before the copy is
	// complete finds the other claim as it is.
	Copies bool
	// Warning marks what is dangerous later.
	Warning bool

	pattern pattern
	from    versions.Version
	before  versions.Version
}

// The paths of objects as a whole.
const (
	Created = "(created)"
	Removed = "(removed)"
)

// Assumption is something that the inputs may not contain.
type Assumption string

// The assumptions of the rules.
const (
	// Migratable is that of changes that need a live migration.
	Migratable Assumption = "whether the VM can live-migrate"
	// Room is that of processors and memory: Git does not know what the VM was started with, and so what can be
	// plugged into it.
	Room Assumption = "what the VM has room for since its last start"
	// OldDisks is that of a rollout that keeps fewer disks than before.
	OldDisks Assumption = "whether the VM has old root disks"
	// Copied is that of volumes that are copied: KubeVirt takes a volume for copied as
	// soon as any claim of the VM is not one that is copied from, and then refuses
	// its own next step (v1.8.4, pkg/virt-controller/watch/vmi/storage.go,
	// requireVolumesUpdate; volume-migration.go, VolumeMigrationCancel).
	Copied Assumption = "whether KubeVirt's controllers stumble over each other, and change nothing until the VM " +
		"has migrated"
	// Types is that of instance types and preferences, which are objects of the cluster.
	Types Assumption = "what the instance types and preferences of the cluster contain"
	// Defaults is that of what KubeVirt fills in by the cluster's settings.
	Defaults Assumption = "what the cluster fills in where the VM sets nothing"
	// Fits is that of another architecture.
	Fits Assumption = "whether all of the VM fits the architecture"
	// Controllers is that of objects of kinds that the table of kinds does not have.
	Controllers Assumption = "what the controller of the kind does"
	// Powered is that of changes of the run strategy.
	Powered Assumption = "whether the VM runs"
)

// isOpen reports whether what a rule assumes is not known of a change.
func (a Assumption) isOpen(e *edit) bool {
	switch a {
	case Migratable:
		return e.migratable() == unknown
	case Room:
		return e.migratable() == unknown || e.runs() != no && e.instance() == nil
	case Copied:
		return e.copyable() == unknown || otherClaims.holds(e)
	case Powered:
		return e.runs() == unknown
	case OldDisks:
		return !e.losesOldDisks()
	}
	return a != ""
}

// of returns what is not known of a change by an open assumption.
func (a Assumption) of(e *edit) Assumption {
	if a == Room && e.migratable() == unknown {
		return Migratable
	}
	return a
}

// worst returns the worst level that an open assumption can lead to.
func (a Assumption) worst(e *edit) Level {
	switch {
	case a == Copied, a == Types, a == Defaults, a == Fits:
		return Refused
	case a == Controllers:
		return Restart
	case a == Migratable && e.cluster.updatesBy("Evict"):
		return Power
	case a == Migratable:
		return Restart
	}
	return None
}

// isOfMigration reports whether the assumption is about a live migration. It does not matter for a stopped VM.
func (a Assumption) isOfMigration() bool { return a == Migratable || a == Room || a == Copied }

// Condition is a named condition on a change.
type Condition struct {
	Text  string // for the reference: "raised"
	holds func(*edit) bool
	cel   celForm
}

// edit is a change of a field of a VM.
type edit struct {
	change
	*subject
}

// item returns the path up to the first entry of a list in it, or the whole path.
func (e *edit) item() []string {
	if i := slices.Index(e.path, entry(e.path)); i >= 0 {
		return e.path[:i+1]
	}
	return e.path
}

// both returns a condition that holds if all conditions hold.
func both(all ...Condition) Condition {
	texts := make([]string, len(all))
	form := exactly(celTrue)
	for i, c := range all {
		texts[i] = c.Text
		form = form.and(c.cel)
		if !c.cel.isExact() && len(c.cel.open) == 0 {
			form.open = append(form.open, c.Text)
		}
	}
	return Condition{strings.Join(texts, ", "), func(e *edit) bool {
		for _, c := range all {
			if !c.holds(e) {
				return false
			}
		}
		return true
	}, form}
}

// not returns a condition that holds if the condition does not.
func not(c Condition, text string) Condition {
	return Condition{text, func(e *edit) bool { return !c.holds(e) }, c.cel.not()}
}

// compile returns a function that prepares the rules of tables for matching, when it is called first: most commands
// plan nothing.
func compile(tables ...[]Rule) func() []Rule {
	return sync.OnceValue(func() []Rule {
		var out []Rule
		for _, table := range tables {
			for _, r := range table {
				r.pattern = parsePattern(r.Path)
				if r.From != "" {
					r.from = versions.Parse(r.From)
				}
				r.before = versions.Parse(r.Before)
				out = append(out, r)
			}
		}
		return out
	})
}

// serves reports whether the rule holds for a version.
func (r *Rule) serves(v versions.Version) bool {
	return !v.Before(r.from) && (r.Before == "" || v.Before(r.before))
}

// find returns the first rule for a change, and the number of segments of the path
// that it stands for.
func find(rules []Rule, e *edit) (*Rule, int) {
	v := versions.Parse(e.cluster.KubeVirt)
	for i := range rules {
		r := &rules[i]
		if r.Kind != "" && r.Kind != e.kind() {
			continue
		}
		if n := r.pattern.match(e.path); n > 0 && r.serves(v) && (r.If.holds == nil || r.If.holds(e)) {
			return r, n
		}
	}
	return nil, 0
}

// cause returns the cause of a change by a rule.
func (r *Rule) cause(e *edit, n int) Cause {
	path := e.path[:n]
	was, now := e.was, e.now
	if n < len(e.path) {
		was, now = manifest.At(e.old, path...), manifest.At(e.new, path...)
	}
	c := Cause{
		Path: display(path), Key: r.key(path), Level: r.Level, Code: r.Code, Reason: r.Reason, Advice: r.Advice,
		When: r.When, Old: shown(path, was), New: shown(path, now), Warning: r.Warning,
	}
	if r.Assumes.isOpen(e) {
		open := r.Assumes.of(e)
		c.Approximate, c.worst = string(open), open.worst(e)
	}
	return c
}

// key returns the rule's key for a path. The names of volumes are those of disks, but
// for the root disk's, and that of the data for cloud-init.
func (r *Rule) key(path []string) string {
	if r.Key == "*" {
		return path[len(path)-1]
	}
	name := strings.Trim(entry(path), "[]")
	switch name {
	case "cloudinitdisk":
		if r.Key == "disks[*]" {
			return "cloudInit"
		}
	case "":
		return strings.ReplaceAll(r.Key, "[*]", "")
	}
	return strings.Replace(r.Key, "[*]", "."+diskKey(name), 1)
}
