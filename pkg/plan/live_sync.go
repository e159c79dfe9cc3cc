package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// application returns the name of the Application that tracks an object in the cluster;
// "" if none does.
func (l *live) application(id manifest.ID) string {
	object := l.object(id)
	tracking := annotation(object, argocd.TrackingAnnotation)
	if app := argocd.TrackedBy(tracking, id.Group(), id.Kind, id.Namespace, id.Name); app != "" {
		return app
	}
	name := manifest.Text(object, "metadata", "labels", "app.kubernetes.io/instance")
	if tracking == "" && l.findApplication(name) != nil {
		return name
	}
	return ""
}

// findApplication returns an Application by its name, or nil.
func (l *live) findApplication(name string) tree {
	if l == nil || name == "" {
		return nil
	}
	for _, e := range l.byKind[kindApplication] {
		if e.id.Name == name {
			return e.object
		}
	}
	return nil
}

// ignored returns the JSON pointers of the fields of an object that its Application
// leaves as they are in the cluster.
func (l *live) ignored(id manifest.ID) []string {
	app := l.findApplication(l.application(id))
	if !slices.Contains(manifest.List(app, "spec", "syncPolicy", "syncOptions"), any("RespectIgnoreDifferences=true")) {
		return nil
	}
	return l.overlooked(id)
}

// overlooked returns the JSON pointers of the fields of an object in which its Application
// sees no difference.
func (l *live) overlooked(id manifest.ID) []string {
	app := l.findApplication(l.application(id))
	var out []string
	for _, rule := range manifest.List(app, "spec", "ignoreDifferences") {
		if !applies(rule, id) {
			continue
		}
		for _, p := range manifest.List(rule, "jsonPointers") {
			if s, _ := p.(string); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// applies reports whether a rule of ignoreDifferences is for an object.
func applies(rule any, id manifest.ID) bool {
	for field, value := range map[string]string{
		"group": id.Group(), "kind": id.Kind, "name": id.Name, "namespace": id.Namespace,
	} {
		if want := manifest.Text(rule, field); want != "" && want != "*" && want != value {
			return false
		}
	}
	return manifest.Text(rule, "kind") != ""
}

// applications returns the names of the Applications that track objects of the plan.
func (p *planner) applications() []string {
	all := map[string]bool{}
	for i := range p.pairs {
		if app := p.live.application(p.pairs[i].id); app != "" {
			all[app] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// syncs adds what the Applications are doing.
func (p *planner) syncs(apps []string) {
	for _, name := range apps {
		app := p.live.findApplication(name)
		if manifest.Text(app, "status", "operationState", "phase") != "Running" {
			continue
		}
		state := manifest.At(app, "status", "operationState")
		p.note("the Application %s has been syncing %s since %s%s. It syncs no other commit until that has ended; "+
			"to sync this one, end it (argocd app terminate-op %s)",
			name, revisionOf(state), manifest.Text(state, "startedAt"), inBrackets(manifest.Text(state, "message")), name)
	}
}

// inBrackets returns a message of the cluster in the middle of a sentence.
func inBrackets(message string) string {
	if message == "" {
		return ""
	}
	return " (" + sentence(message) + ")"
}

// revisionOf returns the revision of an operation, for users.
func revisionOf(state any) string {
	for _, path := range [][]string{{"syncResult", "revision"}, {"operation", "sync", "revision"}} {
		if s := manifest.Text(state, path...); s != "" {
			return "revision " + s[:min(12, len(s))]
		}
	}
	return "another revision"
}

// untracked adds the VMs that an Application of the plan tracks, and that Git has
// on no side.
func (p *planner) untracked(apps []string) {
	for _, kind := range []string{kindVM, kindPool} {
		for _, e := range p.live.byKind[kind] {
			app := p.live.application(e.id)
			if app == "" || !slices.Contains(apps, app) || p.byKey[keyOf(e.id)] != nil {
				continue
			}
			pair := &pair{id: e.id, old: []byte(compact(without(e.object, "status")))}
			s := pair.subject(p.cluster)
			s.state, s.live = p.live, p.live.machine(e.id)
			causes := p.removal(s, nil)
			for i := range causes {
				causes[i].Approximate = "whether Git has it in a part of the Application that is not compared"
			}
			causes = append(causes, Cause{
				Level: None, Code: "unknown-to-git", Warning: true,
				Reason: fmt.Sprintf("neither side of Git has the VM, but the Application %s tracks it", app),
			})
			p.out.VMs = append(p.out.VMs, verdict(e.id, causes))
		}
	}
	slices.SortStableFunc(p.out.VMs, func(a, b Verdict) int { return a.ID.Compare(b.ID) })
}

// note adds a note to the plan.
func (p *planner) note(format string, args ...any) {
	p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...))
}
