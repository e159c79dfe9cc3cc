package rollout

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The types of Events.
const (
	normal  = corev1.EventTypeNormal
	warning = corev1.EventTypeWarning
)

// report logs what has changed since the last step.
func (r *run) report(ctx context.Context, all []observed) {
	done, running := 0, 0
	for _, m := range all {
		if m.stage != skipped {
			running++
		}
		if m.stage == current {
			done++
		}
		r.reportStage(ctx, m)
	}
	r.once("all", fmt.Sprintf("%d of %d up to date", done, running))
}

func (r *run) reportStage(ctx context.Context, m observed) {
	switch m.stage {
	case skipped:
		r.say(m.Name, "left alone: %s", m.why)
	case barred:
		r.say(m.Name, "not restarted: %s", m.why)
	case waiting:
		if r.isNews(m) { // once, not for each percent of an import
			r.say(m.Name, "waiting: %s", m.why)
		}
	case restarting:
		if m.asked == "" {
			r.say(m.Name, "restart under way")
		}
	case starting:
		if r.isNews(m) {
			r.say(m.Name, "not ready: %s", m.why)
		}
	case current:
		if m.asked != "" && r.say(m.Name, "ready again") {
			r.record(ctx, m.machine, normal, "RolloutReady", "Ready again after its restart")
		}
	}
}

// isNews reports whether a VM has begun to wait for something else.
func (r *run) isNews(m observed) bool {
	s, ok := r.spells[m.Name]
	return !ok || s.what != r.waitsFor(m)
}

// say logs a line about a VM, unless it is the same as the last line about it, and
// reports whether it did.
func (r *run) say(name, format string, args ...any) bool {
	return r.once(name, name+": "+fmt.Sprintf(format, args...))
}

// once logs a line, unless it is the same as the last line about the same subject,
// and reports whether it did.
func (r *run) once(about, line string) bool {
	if r.said[about] == line {
		return false
	}
	r.said[about] = line
	r.logf("%s", line)
	return true
}

// sayTrouble logs the last error in watching the cluster.
func (r *run) sayTrouble() {
	if err := r.view.broken.Swap(nil); err != nil {
		r.once("the cluster", (*err).Error()+"; trying again")
	}
}

// record creates an Event about a VM. If that fails, the rollout continues.
func (r *run) record(ctx context.Context, m *machine, kind, reason, text string) {
	if err := r.cluster.record(ctx, &r.Options, m.VirtualMachine, kind, reason, text); err != nil && ctx.Err() == nil {
		r.once("Events", fmt.Sprintf("no Event recorded: %v", err))
	}
}

// record creates an Event about a VM.
func (c *Cluster) record(
	ctx context.Context, o *Options, vm *kubevirtv1.VirtualMachine, kind, reason, text string,
) error {
	now := o.Now()
	event := &corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s.%x", vm.Name, now.UnixNano()), Namespace: o.Namespace},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: machines.GroupVersion().String(), Kind: "VirtualMachine",
			Namespace: o.Namespace, Name: vm.Name, UID: vm.UID, ResourceVersion: vm.ResourceVersion,
		},
		Type: kind, Reason: reason, Message: text, Count: 1,
		FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now),
		Source: corev1.EventSource{Component: "vmrender"}, ReportingController: "vmrender",
	}
	return c.create(ctx, events, o.Namespace, event)
}
