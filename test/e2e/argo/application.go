package argo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/process"
)

//go:embed settings.yaml
var settingsYAML []byte

// Namespace is the namespace of an Argo CD that is installed from its own manifests.
const Namespace = "argocd"

// kind returns the kind of Argo CD's Applications.
func kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}
}

// Application is an Application on the cluster.
type Application struct {
	Name      string
	namespace string
	cluster   *cluster.Cluster
}

// Apply creates or changes the Application that the object describes.
func (a *Argo) Apply(ctx context.Context, object *unstructured.Unstructured) (*Application, error) {
	app := a.Application(object.GetName())
	return app, a.cluster.Apply(ctx, object)
}

// Application returns an Application that something else creates, or will create.
func (a *Argo) Application(name string) *Application {
	return &Application{Name: name, namespace: a.namespace, cluster: a.cluster}
}

// Sync syncs the Application once with the options of its spec, as the button in the user interface does
// (argo-cd v3.2.11, server/application/application.go, Sync). If objects are given, it syncs only those.
func (app *Application) Sync(ctx context.Context, only ...Resource) error {
	return app.operate(ctx, func(object *unstructured.Unstructured) map[string]any {
		sync := map[string]any{}
		if options, found, _ := unstructured.NestedSlice(object.Object, "spec", "syncPolicy", "syncOptions"); found {
			sync["syncOptions"] = options
		}
		var resources []any
		for _, r := range only {
			resources = append(resources, map[string]any{"group": r.Group, "kind": r.Kind, "namespace": r.Namespace, "name": r.Name})
		}
		if resources != nil {
			sync["resources"] = resources
		}
		return sync
	})
}

// SyncWith syncs the Application once with what a user selects in the dialog, regardless of the options of its spec. The
// sync is not retried.
func (app *Application) SyncWith(ctx context.Context, b Boxes) error {
	return app.operate(ctx, func(*unstructured.Unstructured) map[string]any {
		return map[string]any{
			"prune": b.Prune, "syncStrategy": map[string]any{"hook": map[string]any{"force": b.Force}}, "syncOptions": b.Options,
		}
	})
}

// Boxes are what is selected in the dialog of a sync.
type Boxes struct {
	Prune, Force bool
	Options      []any // sync options, such as Replace=true
}

// operate starts a sync.
func (app *Application) operate(ctx context.Context, sync func(*unstructured.Unstructured) map[string]any) error {
	return app.cluster.Update(ctx, kind(), app.namespace, app.Name, func(object *unstructured.Unstructured) {
		// Otherwise the controller resumes the last operation, and merges both (util/argo/argo.go, SetAppOperation).
		unstructured.RemoveNestedField(object.Object, "status", "operationState")
		object.Object["operation"] = map[string]any{"initiatedBy": map[string]any{"username": "e2e"}, "sync": sync(object)}
	})
}

// Terminate ends the sync that is running, as `argocd app terminate-op` does (server/application/application.go,
// TerminateOperation).
func (app *Application) Terminate(ctx context.Context) error {
	return app.cluster.Update(ctx, kind(), app.namespace, app.Name, func(object *unstructured.Unstructured) {
		if state, _, _ := unstructured.NestedMap(object.Object, "status", "operationState"); state != nil && object.Object["operation"] != nil {
			state["phase"] = "Terminating"
			object.Object["status"].(map[string]any)["operationState"] = state //nolint:forcetypeassert // it contains a state
		}
	})
}

// Ended is done when the last sync has ended, however.
func Ended(s *Status) error {
	if !slices.Contains([]string{"Succeeded", "Failed", "Error"}, s.Operation.Phase) {
		return errors.New("the sync has not ended")
	}
	return nil
}

// Refresh has the Application compared with its repository, as a webhook of the repository would. A hard
// refresh discards rendered manifests, too.
func (app *Application) Refresh(ctx context.Context, hard bool) error {
	return app.Annotate(ctx, "argocd.argoproj.io/refresh", map[bool]string{false: "normal", true: "hard"}[hard])
}

// Approve confirms the deletion of the objects that ask for confirmation.
func (app *Application) Approve(ctx context.Context) error {
	return app.Annotate(ctx, "argocd.argoproj.io/deletion-approved", time.Now().UTC().Format(time.RFC3339))
}

// Annotate sets an annotation of the Application.
func (app *Application) Annotate(ctx context.Context, key, value string) error {
	return app.cluster.Update(ctx, kind(), app.namespace, app.Name, func(object *unstructured.Unstructured) {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
		object.SetAnnotations(annotations)
	})
}

// Status is the part of an Application's status that the tests look at.
type Status struct {
	Sync struct {
		Status   string
		Revision string
	}
	Health     struct{ Status, Message string }
	Conditions []Condition
	Resources  []Resource
	Operation  Operation  `json:"operationState"`
	History    []struct{} // the syncs that have succeeded
}

// Condition is an error or a warning.
type Condition struct{ Type, Message string }

// Resource is an object that belongs to the Application.
type Resource struct {
	Group, Kind, Namespace, Name string
	Status                       string // Synced or OutOfSync
	Health                       struct{ Status, Message string }
	RequiresPruning              bool
	RequiresDeletionConfirmation bool
}

// Operation is the last sync.
type Operation struct {
	Phase      string // such as Running or Succeeded
	Message    string
	RetryCount int // failed attempts
	SyncResult struct {
		Revision  string
		Resources []struct{ Kind, Name, Status, Message string }
	}
}

// ComparisonError returns the message of the condition that an Application has if its manifests cannot
// be rendered or compared. It is empty if there is none.
func (s *Status) ComparisonError() string {
	for _, c := range s.Conditions {
		if c.Type == "ComparisonError" {
			return c.Message
		}
	}
	return ""
}

// Refusal returns the reason why the last sync could not apply an object, or an empty string.
func (s *Status) Refusal(kind, name string) string {
	for _, r := range s.Operation.SyncResult.Resources {
		if r.Kind == kind && r.Name == name && r.Status == "SyncFailed" {
			return r.Message
		}
	}
	return ""
}

// Status reads the Application's status.
func (app *Application) Status(ctx context.Context) (*Status, error) {
	object, err := app.cluster.Get(ctx, kind(), app.namespace, app.Name)
	if err != nil {
		return nil, err
	}
	if object == nil {
		return nil, fmt.Errorf("no application %s", app.Name)
	}
	content, err := json.Marshal(object.Object["status"])
	if err != nil {
		return nil, err
	}
	status := &Status{}
	return status, json.Unmarshal(content, status)
}

// Wait waits until done returns no error for the Application's status. After the timeout, it returns the
// last error with the status.
func (app *Application) Wait(ctx context.Context, timeout time.Duration, done func(*Status) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var last *Status
	err := process.Poll(ctx, func(ctx context.Context) error {
		status, err := app.Status(ctx)
		if err != nil {
			return err
		}
		last = status
		return done(status)
	})
	if err != nil {
		return fmt.Errorf("application %s: %w\n%s", app.Name, err, last)
	}
	return nil
}

// Synced is done when the Application matches the revision and is healthy.
func Synced(revision string) func(*Status) error {
	return func(s *Status) error {
		switch {
		case s.Sync.Revision != revision:
			return fmt.Errorf("at revision %.7s, want %.7s", s.Sync.Revision, revision)
		case s.Sync.Status != "Synced":
			return errors.New("not synced")
		case s.Health.Status != "Healthy":
			return errors.New("not healthy")
		case s.Operation.Phase == "Running":
			return errors.New("still at it")
		}
		return nil
	}
}

// String returns the status in short, for the message of a failed test.
func (s *Status) String() string {
	if s == nil {
		return "no status"
	}
	text := fmt.Sprintf("sync %s at %.7s, health %s %s, operation %s at %.7s: %s\n", s.Sync.Status, s.Sync.Revision,
		s.Health.Status, s.Health.Message, s.Operation.Phase, s.Operation.SyncResult.Revision, s.Operation.Message)
	for _, c := range s.Conditions {
		text += fmt.Sprintf("condition %s: %s\n", c.Type, c.Message)
	}
	for _, r := range s.Resources {
		if r.Status != "Synced" || r.Health.Status != "Healthy" && r.Health.Status != "" {
			text += fmt.Sprintf("%s %s/%s: %s, %s %s\n", r.Kind, r.Namespace, r.Name, r.Status, r.Health.Status, r.Health.Message)
		}
	}
	return text
}
