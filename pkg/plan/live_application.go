package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// adviceNoApplication is what to do about objects whose Application is gone.
const adviceNoApplication = "create the Application again (vmrender app): it adopts the objects that name it"

// lostApplication returns the name of the Application that tracks an object, if it does not exist; "" if it does, if
// none tracks the object, and if the export has no Applications where that one should be: in the namespace that stands
// in front of its name (argo-cd v3.2.11, util/argo/resource_tracking.go), or anywhere.
func (l *live) lostApplication(id manifest.ID) string {
	name := l.application(id)
	if name == "" || l.findApplication(name) != nil || len(l.byKind[kindApplication]) == 0 {
		return ""
	}
	app, _, _ := strings.Cut(annotation(l.object(id), argocd.TrackingAnnotation), ":")
	namespace, _, isElsewhere := strings.Cut(app, "_")
	if isElsewhere && !l.covered[key{"argoproj.io", "Application", namespace, ""}] {
		return ""
	}
	return name
}

// applicationFacts returns the fact that nothing syncs a VM, because the Application that tracks it is gone.
func (p *planner) applicationFacts(s *subject) []Fact {
	name := p.live.lostApplication(s.id)
	if name == "" {
		return nil
	}
	return []Fact{{
		State: StateNotSynced, Code: FactNoApplication, Advice: adviceNoApplication,
		Says: "the Application " + name + " that tracks it does not exist: nothing syncs it",
	}}
}

// lostApplications notes the Applications that track objects of the plan, and that do not exist.
func (p *planner) lostApplications() {
	lost := map[string][]string{}
	for i := range p.pairs {
		id := p.pairs[i].id
		if name := p.live.lostApplication(id); name != "" {
			lost[name] = append(lost[name], objectName(id))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		p.note("the Application %s that tracks %s does not exist: nothing syncs what it tracks; %s",
			name, some(lost[name]), adviceNoApplication)
	}
}

// objectName returns an object for users, such as "Service prod/web".
func objectName(id manifest.ID) string {
	return id.Kind + " " + strings.TrimPrefix(id.Namespace+"/"+id.Name, "/")
}
