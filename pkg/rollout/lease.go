package rollout

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/labels"
)

const (
	// leaseTime is how long a run holds the Lease after its last renewal.
	leaseTime = 30 * time.Second
	// renewTime is the time between two renewals.
	renewTime = leaseTime / 3
)

// lease is the Lease of a rollout, which one run at a time holds. As in client-go's
// leader election, a run takes it from another only after it has seen no renewal
// for leaseTime by its own clock: clocks of different nodes differ.
type lease struct {
	record

	cluster         *Cluster
	namespace, name string
	holder          string // the name of this run
	now             func() time.Time

	live    *coordinationv1.Lease // as last read or written; nil if it does not exist
	renewed time.Time             // when this run last wrote it; zero while another run holds it
	holds   string                // the other run and its last renewal
	since   time.Time             // when this run first saw that renewal
}

// hold acquires or renews the Lease, and reports whether this run holds it. It sends no
// request as long as it does not have to.
func (l *lease) hold(ctx context.Context) (bool, error) {
	if l.isFresh(renewTime) {
		return true, nil
	}
	err := l.take(ctx)
	switch {
	case err == nil:
		return !l.renewed.IsZero(), nil
	case !isTrouble(err):
		return false, err
	case apierrors.IsConflict(err):
		err = nil // it has changed meanwhile; the next step reads it again
	}
	return l.isFresh(leaseTime / 2), err
}

// isFresh reports whether this run has renewed the Lease within a time.
func (l *lease) isFresh(within time.Duration) bool {
	return !l.renewed.IsZero() && l.now().Sub(l.renewed) < within
}

// take reads the Lease, and writes it if it is free or held by this run.
func (l *lease) take(ctx context.Context) error {
	live, err := get[coordinationv1.Lease](ctx, l.cluster, leases, l.namespace, l.name)
	if err != nil {
		return err
	}
	if live == nil {
		return l.create(ctx)
	}
	l.live = live
	if !l.isFree() {
		l.renewed = time.Time{}
		return nil
	}
	l.record = parseRecord(live.Annotations)
	return l.write(ctx, l.holder)
}

// isFree reports whether this run may write the Lease.
func (l *lease) isFree() bool {
	holder := text(l.live.Spec.HolderIdentity)
	if holder == "" || holder == l.holder {
		return true
	}
	holds := holder
	if l.live.Spec.RenewTime != nil {
		holds += l.live.Spec.RenewTime.String()
	}
	if l.holds != holds {
		l.holds, l.since = holds, l.now()
	}
	return l.now().Sub(l.since) >= leaseTime
}

// other returns the name of the run that holds the Lease.
func (l *lease) other() string {
	if l.live == nil {
		return ""
	}
	return text(l.live.Spec.HolderIdentity)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// write writes the holder and the record. It fails with a conflict if another
// client has changed the Lease.
func (l *lease) write(ctx context.Context, holder string) error {
	next := l.live.DeepCopy()
	next.APIVersion, next.Kind = leases.GroupVersion().String(), "Lease"
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	l.annotate(next.Annotations)
	now := l.now()
	next.Spec.HolderIdentity = &holder
	next.Spec.RenewTime = &metav1.MicroTime{Time: now}
	next.Spec.LeaseDurationSeconds = new(int32(leaseTime / time.Second))
	live, err := update(ctx, l.cluster, leases, l.namespace, next)
	if err != nil {
		return err
	}
	l.live, l.renewed = live, now
	return nil
}

// save writes the record. If a user has changed the Lease meanwhile, it reads it
// again first.
func (l *lease) save(ctx context.Context, change func(*record)) error {
	return retry(ctx, func(ctx context.Context) error {
		change(&l.record)
		err := l.write(ctx, l.holder)
		if !apierrors.IsConflict(err) {
			return err
		}
		if again := l.take(ctx); again != nil {
			return again
		}
		if l.renewed.IsZero() {
			return trouble{fmt.Errorf("the Lease %s is held by %s", l.name, l.other())}
		}
		return err
	})
}

// create creates the Lease without a holder. If the ServiceAccount of the
// rollout exists, the Lease is deleted with it.
func (l *lease) create(ctx context.Context) error {
	object := &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: leases.GroupVersion().String(), Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Name: l.name, Namespace: l.namespace, Labels: map[string]string{labels.ManagedBy: labels.Manager},
		},
	}
	owner, err := get[corev1.ServiceAccount](ctx, l.cluster, serviceAccounts, l.namespace, l.name)
	if err != nil && (isTrouble(err) || !apierrors.IsForbidden(err)) {
		return err
	}
	if owner != nil {
		object.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "ServiceAccount", Name: owner.Name, UID: owner.UID},
		}
	}
	return l.cluster.create(ctx, leases, l.namespace, object)
}

// release ends the hold, so that the next run does not have to wait.
func (l *lease) release(ctx context.Context) {
	if l.renewed.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	_ = l.write(ctx, "") // otherwise it expires
}

// lease returns the name of the Lease of a rollout of a part of a fleet, or of a CronJob.
func (t *Target) lease() string {
	if t.Pets != nil {
		return t.ID
	}
	return t.ID + labels.RolloutSuffix
}

// newLease returns a Lease that is not held yet.
func (c *Cluster) newLease(o *Options, name, holder string) *lease {
	return &lease{cluster: c, namespace: o.Namespace, name: name, holder: holder, now: o.Now}
}
