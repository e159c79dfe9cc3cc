package pairs

import (
	"encoding/json"
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

// fights is the number of times in a row that self-heal reverts something before another writer is the likely reason:
// the pauses between them are two seconds at first, then thrice the last one, and at most five minutes; five and a half
// minutes without a change end the row (Argo CD v3.2.11, controller/appcontroller.go, autoSync, and the flags
// --self-heal-backoff-… of the application controller). Argo CD never gives up.
const fights = 3

// SelfHeals adds the Applications in which self-heal reverts changes again and again.
func (p *Set) SelfHeals(apps []string) {
	for _, name := range apps {
		sync := manifest.At(p.Live.FindApplication(name), "status", "operationState", "operation", "sync")
		text, _ := manifest.At(sync, "autoHealAttemptsCount").(json.Number)
		attempts, err := text.Int64()
		if err != nil || attempts < fights {
			continue
		}
		p.Note("the Application %s has reverted changes in the cluster %d times in a row, most recently of %s, and "+
			"continues as long as something else changes them: a controller, a webhook or a user; `vmrender status` "+
			"reports the fields and who changes them. Leave the fields to it (ignoreFields of a layer, "+
			"ignoreDifferences of the Application), or stop it", name, attempts, healed(sync))
	}
}

// healed returns the objects of a partial sync, such as "Service web, ConfigMap app".
func healed(sync any) string {
	list, _ := manifest.At(sync, "resources").([]any)
	names := make([]string, 0, len(list))
	for _, r := range list {
		names = append(names, manifest.Text(r, "kind")+" "+manifest.Text(r, "name"))
	}
	if len(names) == 0 {
		return "all its objects"
	}
	return wording.Some(names)
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
