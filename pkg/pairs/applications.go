package pairs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Applications returns the names of the Applications that track objects of the plan.
func (p *Set) Applications() []string {
	all := map[string]bool{}
	for i := range p.Pairs {
		if app := p.Live.Application(p.Pairs[i].ID); app != "" {
			all[app] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Syncs adds what the Applications are doing.
func (p *Set) Syncs(apps []string) {
	for _, name := range apps {
		app := p.Live.FindApplication(name)
		if manifest.Text(app, "status", "operationState", "phase") != "Running" {
			continue
		}
		state := manifest.At(app, "status", "operationState")
		p.Note("the Application %s has been syncing %s since %s%s. It syncs no other commit until that has ended; "+
			"to sync this one, end it (argocd app terminate-op %s)",
			name, RevisionOf(state), manifest.Text(state, "startedAt"),
			wording.InBrackets(manifest.Text(state, "message")), name)
	}
}

// RevisionOf returns the revision of an operation, for users.
func RevisionOf(state any) string {
	for _, path := range [][]string{{"syncResult", "revision"}, {"operation", "sync", "revision"}} {
		if s := manifest.Text(state, path...); s != "" {
			return "revision " + s[:min(12, len(s))]
		}
	}
	return "another revision"
}

// Note adds a fact about the whole.
func (p *Set) Note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// AdviceNoApplication is what to do about objects whose Application is gone.
const AdviceNoApplication = "create the Application again (vmrender app): it adopts the objects that name it"

// LostApplications notes the Applications that track objects of the plan, and that do not exist.
func (p *Set) LostApplications() {
	lost := map[string][]string{}
	for i := range p.Pairs {
		id := p.Pairs[i].ID
		if name := p.Live.LostApplication(id); name != "" {
			lost[name] = append(lost[name], ObjectName(id))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		p.Note("the Application %s that tracks %s does not exist: nothing syncs what it tracks; %s",
			name, wording.Some(lost[name]), AdviceNoApplication)
	}
}

// ObjectName returns an object for users, such as "Service prod/web".
func ObjectName(id manifest.ID) string {
	return id.Kind + " " + strings.TrimPrefix(id.Namespace+"/"+id.Name, "/")
}
