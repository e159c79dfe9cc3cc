// Package judge determines how KubeVirt reacts to an edit of a VirtualMachine. It
// creates the VM in a cluster in memory, edits it as Argo CD does, lets KubeVirt's
// controllers act, and examines the result.
package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/test/impact/judge/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/kubevirt"
)

// Judge runs edits in one cluster. It is not safe for concurrent use.
type Judge struct {
	cluster *cluster.Cluster
	starts  map[string]*start
}

// start is a VM before its edits.
type start struct {
	state   cluster.State
	machine *v1.VirtualMachine
	running flat // the instance, or nil if the VM is stopped
	next    flat // the next instance that the VM would have
	volumes []string
	states  int // the claims with the state of a TPM or of firmware
}

// New returns the judge of a cluster.
func New(config cluster.Config) (*Judge, error) {
	c, err := cluster.New(config)
	if err != nil {
		return nil, err
	}
	return &Judge{cluster: c, starts: map[string]*start{}}, nil
}

// Edit returns the effect of changing the manifest of a running or stopped VM
// from old to changed.
func (j *Judge) Edit(old, changed map[string]any, running bool) (*Verdict, error) {
	from, to, err := texts(old, changed)
	if err != nil {
		return nil, err
	}
	s, err := j.start(from, running)
	var refusal *cluster.Refusal
	if errors.As(err, &refusal) { // the version does not have what the VM uses
		return &Verdict{Refused: refusal.Error(), Invalid: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("before the edit: %w", err)
	}
	if err := j.cluster.Restore(s.state); err != nil {
		return nil, err
	}
	if err := j.cluster.Provide(changed); err != nil {
		return nil, err
	}
	admitted, err := j.apply(s, from, to)
	if errors.As(err, &refusal) {
		invalid, err := j.invalid(to, changed)
		return &Verdict{Refused: refusal.Error(), Invalid: invalid}, err
	}
	if isFault(err) {
		return &Verdict{Failing: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return j.look(s, admitted)
}

// isFault reports whether the controllers stop, or never come to rest.
func isFault(err error) bool {
	var p *cluster.Panic
	return errors.As(err, &p) || errors.Is(err, cluster.ErrRestless)
}

// Live returns the content of the cluster before an edit of the VM, which is
// running or stopped.
func (j *Judge) Live(old map[string]any, running bool) ([]runtime.Object, error) {
	manifest, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	s, err := j.start(manifest, running)
	if err != nil {
		return nil, err
	}
	return slices.Concat(s.state...), nil
}

// invalid reports whether the VM would be refused as a new one, too.
func (j *Judge) invalid(manifest []byte, machine map[string]any) (bool, error) {
	if err := j.cluster.Restore(nil); err != nil {
		return false, err
	}
	if err := j.cluster.Provide(machine); err != nil {
		return false, err
	}
	err := j.cluster.Boot(manifest, true)
	var refusal *cluster.Refusal
	if errors.As(err, &refusal) {
		return true, nil
	}
	return false, err
}

func texts(old, changed map[string]any) (from, to []byte, err error) {
	if from, err = json.Marshal(old); err != nil {
		return nil, nil, err
	}
	to, err = json.Marshal(changed)
	return from, to, err
}

// start returns the VM before an edit, which it creates only once.
func (j *Judge) start(manifest []byte, running bool) (*start, error) {
	key := fmt.Sprint(running, string(manifest))
	if s, ok := j.starts[key]; ok {
		return s, nil
	}
	s, err := j.begin(manifest, running)
	if err != nil {
		return nil, err
	}
	j.starts[key] = s
	return s, nil
}

func (j *Judge) begin(manifest []byte, running bool) (*start, error) {
	s := &start{}
	c := j.cluster
	if err := c.Restore(nil); err != nil {
		return nil, err
	}
	if err := c.Boot(manifest, running); err != nil {
		return nil, err
	}
	var err error
	if s.machine, err = c.Machine(); err != nil {
		return nil, err
	}
	vmi, err := c.Instance()
	if err != nil {
		return nil, err
	}
	if running != (vmi != nil && vmi.Status.Phase == v1.Running) {
		return nil, fmt.Errorf("running: %v, wanted: %v: %s", !running, running, failure(s.machine))
	}
	if running {
		if s.running, err = visible(vmi); err != nil {
			return nil, err
		}
	}
	if s.volumes, err = c.DataVolumes(); err != nil {
		return nil, err
	}
	if s.states, err = c.States(); err != nil {
		return nil, err
	}
	if s.state, err = c.Save(); err != nil {
		return nil, err
	}
	next, why, err := j.next()
	if err == nil && next == nil {
		err = fmt.Errorf("the VM does not start: %s", why)
	}
	s.next = next
	return s, err
}

// visible returns the parts of an instance that an edit can change.
func visible(vmi *v1.VirtualMachineInstance) (flat, error) {
	return flatten(map[string]any{"spec": vmi.Spec, "labels": settable(vmi.Labels), "annotations": settable(vmi.Annotations)})
}

// unseen are labels and annotations that no guest and no controller acts by: those that controllers use for bookkeeping,
// and those that only consoles and metrics read.
var unseen = []string{
	v1.VirtualMachineGenerationAnnotation, v1.ControllerAPILatestVersionObservedAnnotation,
	v1.InstancetypeAnnotation, v1.ClusterInstancetypeAnnotation, v1.PreferenceAnnotation, v1.ClusterPreferenceAnnotation,
	"kubevirt.io/size", "vm.kubevirt.io/flavor", "vm.kubevirt.io/os", "vm.kubevirt.io/workload",
}

// settable leaves out the labels or annotations that are unseen.
func settable(texts map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range texts {
		if !slices.Contains(unseen, key) {
			out[key] = value
		}
	}
	return out
}

// apply changes the VM by a three-way merge patch, as a client-side apply does,
// and returns the admitted VM.
func (j *Judge) apply(s *start, from, to []byte) (*v1.VirtualMachine, error) {
	live, err := json.Marshal(s.machine)
	if err != nil {
		return nil, err
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(from, to, live)
	if err != nil {
		return nil, err
	}
	return j.cluster.Patch(patch)
}

// look compares the cluster with its state before the edit.
func (j *Judge) look(s *start, admitted *v1.VirtualMachine) (*Verdict, error) {
	c := j.cluster
	v := &Verdict{Evicted: c.Evictions > 0}
	vm, err := c.Machine()
	if err != nil {
		return nil, err
	}
	vmi, err := c.Instance()
	if err != nil {
		return nil, err
	}
	now, err := v.instance(s, vmi)
	if err != nil {
		return nil, err
	}
	migrations, err := c.Migrations()
	if err != nil {
		return nil, err
	}
	v.Migrated = migrations > 0 || c.Evacuations > 0
	volumes, err := c.DataVolumes()
	if err != nil {
		return nil, err
	}
	v.Created = slices.DeleteFunc(volumes, func(name string) bool { return slices.Contains(s.volumes, name) })
	if err := v.machine(admitted, vm); err != nil {
		return nil, err
	}
	v.Touched = admitted.Generation != s.machine.Generation
	next, why, err := j.next()
	if err != nil {
		return nil, err
	}
	v.Unstartable = why
	if vm, err = c.Machine(); err != nil {
		return nil, err
	}
	v.FailsLater = failure(vm)
	states, err := c.States()
	if err != nil {
		return nil, err
	}
	v.StateDeleted = states < s.states
	if next != nil && !v.Started {
		v.Staged = staged(s, now, next, &s.machine.Spec.Template.Spec, &vm.Spec.Template.Spec)
	}
	return v, nil
}

// instance examines the running instance and returns its present state.
func (v *Verdict) instance(s *start, vmi *v1.VirtualMachineInstance) (flat, error) {
	runs := vmi != nil && !vmi.IsFinal()
	v.Started, v.Stopped = runs && s.running == nil, !runs && s.running != nil
	if !runs {
		return nil, nil
	}
	now, err := visible(vmi)
	if err != nil || v.Started {
		return now, err
	}
	v.Patched = changed(s.running, now)
	var waits []string
	for _, condition := range vmi.Status.Conditions {
		if slices.Contains(kubevirt.ForMigration, condition.Type) && condition.Status == corev1.ConditionTrue {
			waits = append(waits, string(condition.Type))
		}
	}
	if !slices.Contains(kubevirt.ForMigration, forNICs) {
		waits = append(waits, unmoved(vmi)...)
	}
	v.Pending = strings.Join(waits, ", ")
	return now, nil
}

// forNICs is the condition that reports, from KubeVirt 1.6 on, that a NIC waits for a migration.
const forNICs v1.VirtualMachineInstanceConditionType = "MigrationRequired"

// unmoved returns the NICs that the instance has or has no more, but its Pod does not follow.
func unmoved(vmi *v1.VirtualMachineInstance) []string {
	plugged := map[string]bool{}
	for i := range vmi.Status.Interfaces {
		plugged[vmi.Status.Interfaces[i].Name] = true
	}
	var names []string
	for i := range vmi.Spec.Domain.Devices.Interfaces {
		nic := &vmi.Spec.Domain.Devices.Interfaces[i]
		if isAbsent := nic.State == v1.InterfaceStateAbsent; isAbsent == plugged[nic.Name] {
			names = append(names, "NIC "+nic.Name)
		}
	}
	return names
}

// machine examines the VM.
func (v *Verdict) machine(admitted, vm *v1.VirtualMachine) error {
	for _, condition := range vm.Status.Conditions {
		if condition.Type == v1.VirtualMachineRestartRequired && condition.Status == corev1.ConditionTrue {
			v.RestartRequired = condition.Message
		}
	}
	v.Failing = failure(vm)
	was, err := flatten(admitted.Spec)
	if err != nil {
		return err
	}
	is, err := flatten(vm.Spec)
	v.Rewritten = changed(was, is)
	return err
}

func failure(vm *v1.VirtualMachine) string {
	for _, condition := range vm.Status.Conditions {
		if condition.Type == v1.VirtualMachineFailure && condition.Status == corev1.ConditionTrue {
			return condition.Message
		}
	}
	return ""
}

// next returns the instance that the VM would have after a restart, or the
// reason why it would have none.
func (j *Judge) next() (flat, string, error) {
	why, err := j.cluster.Restart()
	if isFault(err) {
		return nil, err.Error(), nil
	}
	if err != nil || why != "" {
		return nil, why, err
	}
	vmi, err := j.cluster.Instance()
	if err != nil {
		return nil, "", err
	}
	next, err := visible(vmi)
	return next, "", err
}

// staged returns the paths that the edit changes in the next instance but that
// have not changed in the running one.
func staged(s *start, now, next flat, was, spec *v1.VirtualMachineInstanceSpec) []string {
	var out []string
	for _, path := range changed(s.next, next) {
		value, ok := next[path]
		current, has := now[path]
		if (now == nil || ok != has || !same(path, value, current)) && !(computed(path, was) && computed(path, spec)) {
			out = append(out, path)
		}
	}
	return out
}

// computed reports whether a value is computed from others at every start.
func computed(path string, spec *v1.VirtualMachineInstanceSpec) bool {
	switch {
	case path == ".spec.domain.cpu.maxSockets":
		return spec.Domain.CPU == nil || spec.Domain.CPU.MaxSockets == 0
	case path == ".spec.domain.memory.maxGuest":
		return spec.Domain.Memory == nil || spec.Domain.Memory.MaxGuest == nil
	case strings.HasPrefix(path, ".spec.domain.resources.requests."):
		return len(spec.Domain.Resources.Requests) == 0
	default:
		return false
	}
}
