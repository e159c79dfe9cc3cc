package scale

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/sizing"
)

// applications are the Applications of Argo CD.
var applications = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}

// refreshed is the annotation that has an Application compared; Argo CD removes it afterwards.
const refreshed = "argocd.argoproj.io/refresh"

// action is what a phase does.
type action struct {
	phase string
	await []string // the Applications that it changes or compares
	act   func() (revision string, err error)
	// repeat is whether it can be done again, with the same cost.
	repeat bool
}

// phase does the action, waits until its Applications are synced to its revision, and returns what that took. The
// servers are idle before and after it.
func (b *bench) phase(ctx context.Context, a action) (sizing.Phase, error) {
	p := sizing.Phase{Name: a.phase}
	if err := resetPeaks(b.processes); err != nil {
		return p, err
	}
	asked, err := requests(ctx, b.clusters)
	if err != nil {
		return p, err
	}
	before, err := used(b.processes)
	if err != nil {
		return p, err
	}
	start := time.Now()
	times, err := b.rounds(ctx, a)
	if err != nil {
		return p, err
	}
	p.Wall = mean(time.Since(start).Seconds(), times)
	synced, err := idleTime()
	if err != nil {
		return p, err
	}
	p.Idle = mean(synced-before.idle, times)
	if err := b.idle(ctx); err != nil {
		return p, err
	}
	after, err := used(b.processes)
	if err != nil {
		return p, err
	}
	answered, err := requests(ctx, b.clusters)
	if err != nil {
		return p, err
	}
	p.Peak, p.Requests, p.CPU = after.peak, map[string]int{}, map[sizing.Part]float64{}
	for verb, n := range since(asked, answered) {
		p.Requests[verb] = int(math.Round(float64(n) / float64(times)))
	}
	for part, cpu := range after.cpu {
		p.CPU[part] = mean(cpu-before.cpu[part], times)
	}
	return p, nil
}

// enough is how long an action is repeated. One garbage collection of an API server takes as much CPU time as the
// comparison of a small fleet.
const enough = 3 * time.Second

// rounds does the action until its Applications are synced, repeats it if it can be repeated and took less than enough,
// and returns how often it was done.
func (b *bench) rounds(ctx context.Context, a action) (times int, err error) {
	start := time.Now()
	for times == 0 || a.repeat && time.Since(start) < enough {
		revision, err := a.act()
		if err != nil {
			return times, err
		}
		if err := b.synced(ctx, a.await, revision); err != nil {
			return times, err
		}
		times++
	}
	return times, nil
}

// mean returns the seconds of one time, with two decimals, the precision of CPU times.
func mean(seconds float64, times int) float64 { return math.Round(seconds/float64(times)*100) / 100 }

// Servers are idle if they take less than this share of a CPU for as long.
const (
	idleShare  = 0.1
	idlePeriod = time.Second
	idleLimit  = 5 * time.Minute
)

// idle waits until the servers have nothing to do.
func (b *bench) idle(ctx context.Context) error {
	deadline := time.Now().Add(idleLimit)
	last := math.Inf(-1)
	for {
		now, err := used(b.processes)
		if err != nil {
			return err
		}
		if now.total()-last < idleShare*idlePeriod.Seconds()*float64(1+len(b.clusters)) {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New("the servers are not idle")
		}
		last = now.total()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(idlePeriod):
		}
	}
}

// synced waits until Argo CD has recorded the Applications as synced to the revision. It watches them, because
// repeated reads of large objects would be a part of what is measured.
func (b *bench) synced(ctx context.Context, names []string, revision string) error {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	waiting := map[string]string{} // why, by name
	for _, name := range names {
		waiting[name] = "not seen"
	}
	for len(waiting) > 0 {
		watch, err := b.clusters[0].Resource(applications).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return unsynced(waiting, err)
		}
		for event := range watch.ResultChan() {
			app, is := event.Object.(*unstructured.Unstructured)
			if !is || waiting[app.GetName()] == "" {
				continue
			}
			if waiting[app.GetName()] = unfinished(app, revision); waiting[app.GetName()] != "" {
				continue
			}
			if delete(waiting, app.GetName()); len(waiting) == 0 {
				break
			}
		}
		watch.Stop()
		if ctx.Err() != nil {
			return unsynced(waiting, ctx.Err())
		}
	}
	return nil
}

// unsynced returns an error that names one of the Applications.
func unsynced(waiting map[string]string, err error) error {
	for name, why := range waiting {
		return fmt.Errorf("%d Applications are not synced, such as %s (%s): %w", len(waiting), name, why, err)
	}
	return err
}

// unfinished returns why an Application is not yet synced to the revision, or an empty text.
func unfinished(app *unstructured.Unstructured, revision string) string {
	text := func(fields ...string) string {
		value, _, _ := unstructured.NestedString(app.Object, fields...)
		return value
	}
	switch phase := text("status", "operationState", "phase"); {
	case app.GetAnnotations()[refreshed] != "":
		return "not compared"
	case text("status", "sync", "revision") != revision:
		return "an earlier revision"
	case text("status", "sync", "status") != "Synced":
		return fmt.Sprintf("not synced; %s: %.300s", phase, text("status", "operationState", "message"))
	case phase != "Succeeded":
		return phase
	}
	return ""
}
