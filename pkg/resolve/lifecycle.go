package resolve

import (
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// lifecycle returns the lifecycle of the VM.
func (d *draft) lifecycle() machine.Lifecycle {
	lc := d.vm.Lifecycle
	if lc == nil {
		lc = &values.Lifecycle{}
	}
	pet := d.traits.Pet
	out := machine.Lifecycle{
		Strategy: d.strategy, KeepDisks: pet, Protect: values.IsTrue(lc.Protect),
		MaxUnavailable: values.IntOrPercent{Int: 1}, KeepOld: 1,
		SnapshotBefore: pet && values.IsTrue(lc.SnapshotBefore),
		Removal:        lc.Removal, Unprotected: lc.Protection == "none", Maintenance: d.maintenance(),
		Snapshots: d.snapshots(), Power: d.power(), RestoreFrom: d.restoreFrom(),
	}
	if out.Removal == "" && d.site.Policy.Keeps() && !d.traits.DeletesUnseen() {
		out.Removal = values.Denied
	}
	if lc.KeepDisks != nil {
		out.KeepDisks = *lc.KeepDisks
	}
	if lc.MaxUnavailable != nil {
		out.MaxUnavailable = *lc.MaxUnavailable
	}
	if lc.KeepOld != nil {
		out.KeepOld = *lc.KeepOld
	}
	if lc.ProgressDeadlineSeconds != nil {
		out.ProgressDeadlineSeconds = *lc.ProgressDeadlineSeconds
	}
	if pet {
		out.Ansible = d.ansible(lc.Ansible)
	}
	if d.traits.Pooled && d.vm.Replicas != nil {
		out.Replicas = int32(*d.vm.Replicas) //nolint:gosec // at most 10,000
	}
	out.ScaleInStrategy, out.Autohealing, out.UpdateStrategy = lc.ScaleInStrategy, lc.Autohealing, lc.UpdateStrategy
	d.checkPoolKeys()
	return out
}

// checkPoolKeys reports what only a pool has, and strategies of a pool that are not exactly one: KubeVirt refuses
// several (kubevirt/kubevirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vmpool-admitter.go).
func (d *draft) checkPoolKeys() {
	for _, key := range []string{"scaleInStrategy", "autohealing", "updateStrategy"} {
		n := d.entry.Keys.Get("lifecycle", key)
		switch {
		case !n.IsSet():
		case !d.traits.Pooled:
			d.errorf(d.entry.KeyAt("lifecycle", key), rule.Conflict, "lifecycle."+key,
				"%q is for `strategy: pool`; remove it, or use that strategy", key)
		case key != "autohealing" && len(n.Fields) != 1:
			d.errorf(n.Pos(), rule.Conflict, "lifecycle."+key, "expected exactly one of proactive, opportunistic and unmanaged")
		}
	}
}

// ansible returns the Ansible job, or nil if there is none. It checks that
// either a job template or an image with a playbook is set.
func (d *draft) ansible(a *values.Ansible) *machine.Ansible {
	if a == nil {
		return nil
	}
	at, path := d.entry.KeyAt("lifecycle", "ansible"), "lifecycle.ansible"
	const either = "expected exactly one of template, of Ansible Automation Platform, and image, which runs a playbook"
	switch {
	case a.Template == "" && a.Image == "":
		d.errorf(at, rule.MissingKey, path, either)
	case a.Template != "" && a.Image != "":
		d.errorf(at, rule.Conflict, path, either)
	case a.Template != "" && a.Playbook != "":
		d.errorf(d.entry.At("lifecycle", "ansible", "playbook"), rule.Conflict, path+".playbook",
			"a job template names its own playbook; remove it, or use `image` instead of `template`")
	case a.Template != "" && a.Secret == "":
		d.errorf(at, rule.MissingKey, path+".secret", "missing; name the Secret with the platform's `host` and `token`")
	case a.Image != "" && a.Playbook == "":
		d.errorf(at, rule.MissingKey, path+".playbook", "missing; name the playbook below the image's /runner/project")
	}
	out := &machine.Ansible{
		Template: a.Template, Image: a.Image, Playbook: a.Playbook, Secret: a.Secret,
		ExtraVars: map[string]any{},
	}
	if times, well := d.times(a.Schedule, "lifecycle", "ansible", "schedule"); well {
		out.Schedule = times
	}
	for name, value := range a.ExtraVars {
		if value.IsSet() {
			source.ReportAmbiguous(value, d.entry.Path+"."+path+".extraVars."+name, d.diags)
			d.checkExtraVar(a, name, value)
			out.ExtraVars[name] = value.Plain()
		}
	}
	return out
}

// secretName matches names of variables that contain secrets.
var secretName = lazyregexp.New(`(?i)pass(w(or)?d|phrase)|pwd|secret|token|credential|(api|private|access)_?key`)

// checkExtraVar reports a variable that sets how Ansible connects to the guest, and a
// secret in clear text, unless it is a template of Ansible's.
func (d *draft) checkExtraVar(a *values.Ansible, name string, value *source.Node) {
	path := "lifecycle.ansible.extraVars." + name
	switch {
	case a.Template != "" && strings.HasPrefix(name, "ansible_"):
		d.errorf(value.Pos(), rule.Conflict, path,
			"%q overrides how the platform connects, and may run the playbook on one of its own nodes; "+
				"remove it, and set it in the platform's inventory", name)
	case secretName().MatchString(name) && value.IsScalar() && !template.Is(value.Text):
		d.site.Policy.ReportSecret(value.Pos(), d.entry.Path+"."+path,
			"a password in clear text; prefer a credential of the job template, or `secret`, with `image`, "+
				"which ansible-runner reads", d.diags)
	}
}

// inertKey is a key without effect, with its position.
type inertKey struct {
	source.Field
	about *values.InertRule
}

// checkInert reports keys of `lifecycle` that have no effect on the VMs
// of an entry, if they are set on the level that chooses the type or strategy,
// or above. Below that level they are inherited, and not a mistake.
func (s *Site) checkInert(e *fleet.Entry, diags *source.Diagnostics) {
	for _, k := range s.inertKeys(e.Top) {
		if k.about.Chooser == "type" || e.Keys.Get("lifecycle", "type").Str() == "cattle" {
			e.Errorf(diags, k.Pos(), rule.Conflict, "lifecycle."+k.Key, "%q %s", k.Key, k.about.Advice)
		}
	}
}

// inertKeys returns the keys of a level and its parents that have no effect on
// a VM with their lifecycle. Most levels set none of them, so the result
// is cached and shared by many VMs.
func (s *Site) inertKeys(l *fleet.Level) []inertKey {
	for l != nil && l.Keys.Field("lifecycle") == nil {
		l = l.Parent
	}
	if l == nil {
		return nil
	}
	shared := !l.OfOneVM() // another would stay in memory with all of its VM
	if known, ok := s.inert.Load(l); ok {
		return known.([]inertKey)
	}
	var keys []inertKey
	for i := range values.InertRules {
		about := &values.InertRules[i]
		choice, fields := chosen(l, about.Chooser, about.Keys)
		if choice != about.Choice && (choice != "" || about.Choice != "pet") {
			continue
		}
		for _, f := range fields {
			keys = append(keys, inertKey{f, about})
		}
	}
	if shared {
		s.inert.Store(l, keys)
	}
	return keys
}

// chosen finds the level that sets a key of `lifecycle`. It returns the value,
// or "" if no level sets it, and those of the given keys that are set on that
// level or above.
func chosen(l *fleet.Level, chooser string, keys []string) (choice string, fields []source.Field) {
	for ; l != nil; l = l.Parent {
		lc := l.Keys.Get("lifecycle")
		for _, k := range keys {
			if f := lc.Field(k); f != nil && f.Value.IsSet() {
				fields = append(fields, *f)
			}
		}
		if c := lc.Get(chooser); c.IsSet() {
			return c.Text, fields
		}
	}
	return "", fields
}
