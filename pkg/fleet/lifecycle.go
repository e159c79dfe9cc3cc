package fleet

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// The strategies of cattle.
const (
	Rollout   = "rollout"
	Replace   = "replace"
	BlueGreen = "blue-green"
	Pool      = "pool"
)

// hashLength is how long "-" and a hash of 8 hexadecimal digits are together.
const hashLength = 9

// strategy is that of the VM's cattle; empty for a pet.
func (s *subject) strategy() string {
	lc := s.vm.Lifecycle
	if lc == nil || lc.Type != "cattle" {
		return ""
	}
	return or(lc.Strategy, Rollout)
}

func (s *subject) lifecycle() {
	lc := s.vm.Lifecycle
	if lc == nil {
		lc = &Lifecycle{}
	}
	strategy := s.strategy()
	out := MachineLifecycle{
		Cattle: strategy != "", Strategy: strategy, KeepDisks: strategy == "", Protect: isTrue(lc.Protect),
		MaxUnavailable: IntOrPercent{Int: 1}, KeepOld: 1,
		SnapshotBefore: strategy == "" && isTrue(lc.SnapshotBefore),
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
	if strategy == "" {
		out.Ansible = s.ansible(lc.Ansible)
	}
	if strategy == Pool && s.vm.Replicas != nil {
		out.Replicas = int32(*s.vm.Replicas) //nolint:gosec // at most 10,000
	}
	s.m.Lifecycle = out
	if strategy == "" {
		s.forgetful()
	}
	s.checkStrategy()
}

// forgetful warns of a pet that loses its root disk with every stop.
func (s *subject) forgetful() {
	for i := range s.m.Disks {
		if d := &s.m.Disks[i]; d.Name == rootDisk && d.Kind == DiskContainerDisk {
			s.diags.Warnf(s.at("disks", rootDisk, "source"), "volatile-root", s.path+".disks.root.source",
				"what the guest writes to a container disk is lost when it stops; expected a source that is copied, such as `registry`, or `lifecycle: cattle`")
		}
	}
}

// ansible checks that either a platform's job template or an image with a
// playbook is named.
func (s *subject) ansible(a *Ansible) *MachineAnsible {
	if a == nil {
		return nil
	}
	at, path := s.keyAt("lifecycle", "ansible"), "lifecycle.ansible"
	const either = "expected exactly one of template, of Ansible Automation Platform, and image, which runs a playbook"
	switch {
	case a.Template == "" && a.Image == "":
		s.errorf(at, "missing-key", path, either)
	case a.Template != "" && a.Image != "":
		s.errorf(at, "conflict", path, either)
	case a.Template != "" && a.Playbook != "":
		s.errorf(s.at("lifecycle", "ansible", "playbook"), "conflict", path+".playbook", "a job template names its own playbook; remove it, or use `image` instead of `template`")
	case a.Template != "" && a.Secret == "":
		s.errorf(at, "missing-key", path+".secret", "missing; name the Secret with the platform's `host` and `token`")
	case a.Image != "" && a.Playbook == "":
		s.errorf(at, "missing-key", path+".playbook", "missing; name the playbook beneath the image's /runner/project")
	}
	out := &MachineAnsible{Template: a.Template, Image: a.Image, Playbook: a.Playbook, Secret: a.Secret, ExtraVars: map[string]any{}}
	for name, value := range a.ExtraVars {
		if value != nil && value.Kind != source.Null {
			source.ReportAmbiguous(value, s.path+"."+path+".extraVars."+name, s.diags)
			out.ExtraVars[name] = goValue(value)
		}
	}
	return out
}

// inertRule names keys of the lifecycle that mean nothing to machines of one
// kind, or of one strategy.
type inertRule struct {
	chooser, choice string
	keys            []string
	advice          string
}

var inertRules = []inertRule{
	{"type", "pet", []string{"strategy", "maxUnavailable", "keepOld"}, "is for cattle; remove it, or use `type: cattle`"},
	{"type", "cattle", []string{"snapshotBefore", "ansible"}, "is for pets; remove it, or use `type: pet`"},
	{"strategy", Replace, []string{"maxUnavailable", "keepOld"}, "is for `strategy: rollout`; remove it"},
	{"strategy", BlueGreen, []string{"maxUnavailable", "keepOld"}, "is for `strategy: rollout`; remove it"},
	{"strategy", Pool, []string{"keepOld"}, "is for `strategy: rollout`; remove it"},
}

// checkInert reports keys that mean nothing to the machine, on the level that
// makes it what it is and on those above. Beneath that level they are inherited,
// and nobody's mistake.
func (s *subject) checkInert(top *level) {
	for _, k := range top.inert() {
		if k.rule.chooser == "type" || display(s.node.Get("lifecycle", "type")) == "cattle" {
			s.errorf(k.Pos(), "conflict", "lifecycle."+k.Key, "%q %s", k.Key, k.rule.advice)
		}
	}
}

// inertKey is a key that a rule is about, where it was written.
type inertKey struct {
	source.Field
	rule *inertRule
}

// inert are the keys of the level and those below it that mean nothing to what
// their lifecycles make of a machine. Most levels have none of their own, so
// that it is looked up once for many machines.
func (l *level) inert() []inertKey {
	for l != nil && l.keys.Field("lifecycle") == nil {
		l = l.parent
	}
	if l == nil {
		return nil
	}
	l.inertOnce.Do(func() {
		for i := range inertRules {
			rule := &inertRules[i]
			choice, fields := l.chosen(rule.chooser, rule.keys)
			if choice != rule.choice && (choice != "" || rule.choice != "pet") {
				continue
			}
			for _, f := range fields {
				l.inertKeys = append(l.inertKeys, inertKey{f, rule})
			}
		}
	})
	return l.inertKeys
}

// chosen finds the level that sets a key of the lifecycle, and gives its value,
// empty where no level does, with the other keys that stand there or above.
func (l *level) chosen(chooser string, keys []string) (choice string, fields []source.Field) {
	for ; l != nil; l = l.parent {
		lc := l.keys.Get("lifecycle")
		for _, k := range keys {
			if f := lc.Field(k); f != nil && f.Value.Kind != source.Null {
				fields = append(fields, *f)
			}
		}
		if c := lc.Get(chooser); c != nil && c.Kind != source.Null {
			return c.Text, fields
		}
	}
	return "", fields
}

// checkLevelLifecycle reports a level that says what its machines are, and
// something that means nothing to those.
func checkLevelLifecycle(keys *source.Node, path string, diags *source.Diagnostics) {
	lc := keys.Get("lifecycle")
	if lc == nil {
		return
	}
	pet := display(lc.Get("type")) == "pet"
	for _, rule := range inertRules {
		if display(lc.Get(rule.chooser)) != rule.choice || pet && rule.chooser == "strategy" {
			continue
		}
		for _, k := range rule.keys {
			if f := lc.Field(k); f != nil && f.Value.Kind != source.Null {
				diags.Errorf(f.Pos(), "conflict", source.JoinPath(source.JoinPath(path, "lifecycle"), k), "%q %s", k, rule.advice)
			}
		}
	}
}

// checkStrategy reports what a strategy cannot keep its promise with.
func (s *subject) checkStrategy() {
	lc := &s.m.Lifecycle
	if !lc.Cattle {
		return
	}
	if lc.Protect && lc.Strategy != Rollout {
		s.limit(s.at("lifecycle", "protect"), "lifecycle.protect", "the cluster refuses to delete a protected VM, which is what happens here; remove it, or use `strategy: rollout`")
	}
	for i := range s.m.Disks {
		s.checkStrategyDisk(&s.m.Disks[i])
	}
	switch lc.Strategy {
	case Replace:
		s.checkReplace()
	case BlueGreen:
		s.checkAddresses("two revisions of the VM run at the same time")
	case Pool:
		s.checkAddresses("all VMs of a pool are the same")
		s.checkPool()
	}
}

// limit reports what the machine's strategy does not allow.
func (s *subject) limit(at source.Pos, path, why string) {
	s.errorf(at, "strategy", path, "under `strategy: %s` %s", s.m.Lifecycle.Strategy, why)
}

// patience is how long Argo CD waits for a VM that it replaces to be gone, in
// seconds (gitops-engine pkg/utils/kube/resource_ops.go, v3.2: 5 minutes).
const patience = 300

func (s *subject) checkReplace() {
	if grace := s.m.TerminationGracePeriodSeconds; grace != nil && *grace >= patience {
		s.limit(s.at("terminationGracePeriodSeconds"), "terminationGracePeriodSeconds", fmt.Sprintf(
			"Argo CD waits %d seconds for the old VM to be gone, and this guest may take %d to stop; use a shorter one, or another strategy", patience, *grace))
	}
}

// checkStrategyDisk reports disks that the strategy would lose, share or never make anew.
func (s *subject) checkStrategyDisk(d *MachineDisk) {
	path := "disks." + d.Name
	strategy := s.m.Lifecycle.Strategy
	root := d.Name == rootDisk
	owned := d.Kind == DiskDataVolume && !d.Keep
	switch {
	case root && d.Keep && d.Kind == DiskDataVolume && strategy == Rollout:
		s.limit(s.at("disks", d.Name, "keep"), path+".keep", "a new image is a new root disk, which cannot be kept; remove it")
	case root && d.ExpandTo != "" && strategy == Rollout && d.Kind == DiskDataVolume:
		s.limit(s.at("disks", d.Name, "expandTo"), path+".expandTo", "another size is another root disk; use `size` instead")
	case !root && owned && strategy == Replace && !s.mayLose(d.Name):
		s.limit(s.keyAt("disks", d.Name), path, "the disk is lost with every change of the VM; set `keep: true`, or `keep: false` where that is meant")
	case strategy == BlueGreen || strategy == Pool:
		s.checkManyDisks(d, path)
	}
}

// mayLose tells whether a user has said that the disk need not survive its VM.
func (s *subject) mayLose(disk string) bool {
	keep := s.vm.Disks[disk].Keep
	if keep == nil {
		keep = s.vm.Lifecycle.KeepDisks
	}
	return keep != nil && !*keep
}

// checkManyDisks reports disks that several machines would use at once.
func (s *subject) checkManyDisks(d *MachineDisk, path string) {
	shared := d.ReadOnly || d.Shareable || d.Type == "cdrom"
	switch {
	case d.Keep && d.Kind == DiskDataVolume:
		s.limit(s.keyAt("disks", d.Name), path, "a disk that survives its VM would be that of several at once; set `keep: false`")
	case d.Kind == DiskClaim && !shared:
		s.limit(s.keyAt("disks", d.Name), path, "several VMs would write to the claim at once; set `readOnly: true`, or a source that is copied")
	case d.ExpandTo != "":
		s.limit(s.at("disks", d.Name, "expandTo"), path+".expandTo", "no disk is there for long; use another `size`")
	}
}

// checkAddresses reports addresses that several machines would have at once.
func (s *subject) checkAddresses(why string) {
	for i := range s.m.NICs {
		n := &s.m.NICs[i]
		for _, a := range []struct{ key, value string }{{"mac", n.MAC}, {"ip", n.IP}} {
			if a.value != "" {
				s.limit(n.at(a.key), source.IndexPath("nics", i)+"."+a.key, why+", and cannot have one address; remove it")
			}
		}
	}
}

// checkPool reports what cannot differ between the machines of a pool.
func (s *subject) checkPool() {
	if s.vm.Replicas == nil {
		s.limit(s.at("lifecycle", "strategy"), "replicas", "the number of VMs is missing; set `replicas`")
	}
	if Before(s.m.Target.KubeVirt, 1, 6) {
		s.limit(s.at("lifecycle", "strategy"), "lifecycle.strategy", fmt.Sprintf("KubeVirt %s restarts all VMs at once; set a target from 1.6 on, or use another strategy", s.m.Target.KubeVirt))
	}
	for _, keys := range [][]string{{"hostname"}, {"cloudInit", "hostname"}, {"firmware", "uuid"}, {"firmware", "serial"}} {
		if n := s.node.Get(keys...); n != nil && n.Kind != source.Null && n.Text != "" {
			s.limit(s.at(keys...), strings.Join(keys, "."), "all VMs of a pool are the same, and would all have it; remove it")
		}
	}
}
