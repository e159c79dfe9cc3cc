package impact

import (
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Rule describes what a change of a field does.
type Rule struct {
	// Kind of the object, with its group: "DataVolume.cdi.kubevirt.io". Empty for the
	// kinds of VMs, or in the last rules of a table for every kind.
	Kind string
	// Path is the pattern of the field's path, or [diff.Created] or [diff.Removed] for the object
	// as a whole. See [diff.Pattern].
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
	// of the entry of the list, and "*" for the name of the field if it is also a key.
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

	Pattern diff.Pattern
	from    versions.Version
	before  versions.Version
}

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
	// Selected is that of labels by which KubeVirt selects VMs, if its settings say so.
	Selected Assumption = "whether the cluster selects VMs by the label"
	// Seen is that of objects that the cluster may have already: what is known of it has none of their kind.
	Seen Assumption = "whether the cluster has the object, since it shows none of the kind"
	// Powered is that of changes of the run strategy.
	Powered Assumption = "whether the VM runs"
)

// isOpen reports whether what a rule assumes is not known of a change.
func (a Assumption) isOpen(e *Edit) bool {
	switch a {
	case Migratable:
		return e.Migratable() == cluster.Unknown
	case Room:
		return e.Migratable() == cluster.Unknown || e.Runs() != cluster.No && e.Instance() == nil
	case Copied:
		return e.copyable() == cluster.Unknown || otherClaims.Holds(e)
	case Powered:
		return e.Runs() == cluster.Unknown
	case OldDisks:
		return !e.losesOldDisks()
	case Seen:
		return e.Unseen
	}
	return a != ""
}

// of returns what is not known of a change by an open assumption.
func (a Assumption) of(e *Edit) Assumption {
	if a == Room && e.Migratable() == cluster.Unknown {
		return Migratable
	}
	return a
}

// worst returns the worst level that an open assumption can lead to.
func (a Assumption) worst(e *Edit) Level {
	switch {
	case a == Copied, a == Types, a == Defaults, a == Fits:
		return Refused
	case a == Controllers:
		return Restart
	case a == Migratable && e.Cluster.UpdatesBy("Evict"):
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
	Holds func(*Edit) bool
	CEL   Form
}

// Edit is a change of a field of a VM.
type Edit struct {
	diff.Change
	*Subject
}

// item returns the path up to the first entry of a list in it, or the whole path.
func (e *Edit) item() []string {
	if i := slices.Index(e.Path, entry(e.Path)); i >= 0 {
		return e.Path[:i+1]
	}
	return e.Path
}

// both returns a condition that holds if all conditions hold.
func both(all ...Condition) Condition {
	texts := make([]string, len(all))
	form := Exactly(CELTrue)
	for i, c := range all {
		texts[i] = c.Text
		form = form.and(c.CEL)
		if !c.CEL.IsExact() && len(c.CEL.Open) == 0 {
			form.Open = append(form.Open, c.Text)
		}
	}
	return Condition{strings.Join(texts, ", "), func(e *Edit) bool {
		for _, c := range all {
			if !c.Holds(e) {
				return false
			}
		}
		return true
	}, form}
}

// not returns a condition that holds if the condition does not.
func not(c Condition, text string) Condition {
	return Condition{text, func(e *Edit) bool { return !c.Holds(e) }, c.CEL.not()}
}

// compile returns a function that prepares the rules of tables for matching, when it is called first: most commands
// plan nothing.
func compile(tables ...[]Rule) func() []Rule {
	return sync.OnceValue(func() []Rule {
		var out []Rule
		for _, table := range tables {
			for _, r := range table {
				r.Pattern = diff.ParsePattern(r.Path)
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

// Find returns the first rule for a change, and the number of segments of the path
// that it stands for.
func Find(rules []Rule, e *Edit) (*Rule, int) {
	v := versions.Parse(e.Cluster.KubeVirt)
	for i := range rules {
		r := &rules[i]
		if r.Kind != "" && r.Kind != e.kind() {
			continue
		}
		if n := r.Pattern.Match(e.Path); n > 0 && r.serves(v) && (r.If.Holds == nil || r.If.Holds(e)) {
			return r, n
		}
	}
	return nil, 0
}

// Cause returns the cause of a change by a rule.
func (r *Rule) Cause(e *Edit, n int) Cause {
	path := e.Path[:n]
	was, now := e.Was, e.Now
	if n < len(e.Path) {
		was, now = manifest.At(e.Old, path...), manifest.At(e.New, path...)
	}
	c := Cause{
		Path: diff.Display(path), Key: r.key(path), Level: r.Level, Code: r.Code, Reason: r.Reason, Advice: r.Advice,
		When: r.When, Old: shown(path, was), New: shown(path, now), Warning: r.Warning,
	}
	if r.Assumes.isOpen(e) {
		open := r.Assumes.of(e)
		c.Approximate, c.Worst = string(open), open.worst(e)
	}
	return c
}

// key returns the rule's key for a path. The names of volumes are those of disks, but
// for the root disk's, and that of the data for cloud-init.
func (r *Rule) key(path []string) string {
	if r.Key == "*" {
		if field := path[len(path)-1]; slices.Contains(named, field) {
			return field
		}
		return ""
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
	return strings.Replace(r.Key, "[*]", "."+DiskKey(name), 1)
}

// named are the fields of a template that have the name of their key, and no rule of their own.
var named = []string{
	"accessCredentials", "affinity", "evictionStrategy", "filesystems", "firmware", "gpus", "hostDevices", "hostname",
	"livenessProbe", "nodeSelector", "priorityClassName", "readinessProbe", "resources", "terminationGracePeriodSeconds",
	"tolerations", "topologySpreadConstraints", "tpm",
}

// OfInstance reports whether a rule is for what the running instance is made from.
func (r *Rule) OfInstance() bool {
	p := r.Pattern
	return len(p) > 1 && p[0] == "spec" && (p[1] == "template" || p[1] == "instancetype" || p[1] == "preference")
}

// DiskKey returns the key of the disk of a volume.
func DiskKey(volume string) string {
	if volume == "rootdisk" {
		return "root"
	}
	return volume
}
