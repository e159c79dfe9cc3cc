package rollout

import (
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// refusalTime is how long a refusal has to stay the same until a run ends. An API
// server that starts answers 401, 403 and 404 until it has read the RBAC objects and
// CustomResourceDefinitions (kubernetes v1.36, plugin/pkg/auth/authorizer/rbac and
// apiextensions-apiserver, pkg/apiserver/customresource_handler.go).
const refusalTime = 3 * time.Minute

// UnavailableError is the end of a run because the API server has not answered, or has
// given the same refusal, for long enough. It says nothing about the VirtualMachines, so
// another run may complete the work.
type UnavailableError struct{ err error }

func (e *UnavailableError) Error() string { return e.err.Error() }

// Unwrap returns the last error of the API server.
func (e *UnavailableError) Unwrap() error { return e.err }

// trouble is an error of a request that may succeed when it is repeated.
type trouble struct{ error }

func (t trouble) Unwrap() error { return t.error }

// isTrouble reports whether an error may be over soon.
func isTrouble(err error) bool {
	var t trouble
	return errors.As(err, &t)
}

// patience judges the errors of a run's requests. It is safe for concurrent use.
type patience struct {
	now   func() time.Time
	limit time.Duration // of a request that has not succeeded since, whatever the errors

	mu      sync.Mutex
	failing map[string]failure // by request
}

// failure describes a request that has not succeeded since a time.
type failure struct {
	since  time.Time
	reason metav1.StatusReason // of the refusal that was the last answer; empty if it was none
	same   time.Time           // when it was first given
}

func newPatience(o *Options) *patience {
	return &patience{now: o.Now, limit: o.Timeout, failing: map[string]failure{}}
}

// judge returns an error of a request as [trouble], or as an [UnavailableError] if it has
// stayed the same for long enough. A conflict is an answer, with which a caller deals.
func (p *patience) judge(request string, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil || apierrors.IsConflict(err) {
		delete(p.failing, request)
		if err != nil {
			return trouble{err}
		}
		return nil
	}
	now, reason := p.now(), refusal(err)
	f, ok := p.failing[request]
	if !ok {
		f = failure{now, reason, now}
	}
	if f.reason != reason {
		f.reason, f.same = reason, now
	}
	p.failing[request] = f
	switch same, all := now.Sub(f.same), now.Sub(f.since); {
	case reason != "" && same >= refusalTime:
		return &UnavailableError{fmt.Errorf("%w; the same answer for %s", err, same.Truncate(time.Second))}
	case all >= p.limit:
		return &UnavailableError{fmt.Errorf("%w; no other answer for %s", err, all.Truncate(time.Second))}
	}
	return trouble{err}
}

// refusal returns the reason of an answer that says that a request is wrong. It is empty
// for other errors: those of a server that does its best, and of the network.
func refusal(err error) metav1.StatusReason {
	if isPermanent(err) {
		return apierrors.ReasonForError(err)
	}
	return ""
}

// patient returns a client that judges the errors of its requests by the clock and the
// timeout of a run.
func (c *Cluster) patient(o *Options) *Cluster {
	return &Cluster{objects: c.objects, raw: c.raw, patience: newPatience(o)}
}

// answered returns the error of a request with an explanation, and of a patient client,
// with its judgment.
func (c *Cluster) answered(err error, verb string, resource schema.GroupVersionResource, namespace string) error {
	err = explain(err, verb, resource, namespace)
	if c.patience == nil {
		return err
	}
	return c.patience.judge(verb+" "+resource.String()+" "+namespace, err)
}
