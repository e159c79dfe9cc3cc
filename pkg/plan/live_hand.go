package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Deed is a field of a VM that was changed in the cluster, and not in Git.
type Deed struct {
	FieldStatus
	// What has happened, as far as its trace is known, such as "the VM was stopped in
	// the cluster (virtctl stop)".
	What string
	// Who has done it in words, such as "kubectl edit"; By if nothing more is known of it.
	Who string
}

// ByHand returns what was done to a VM in the cluster, each field once, by path. Wanted
// is the VM as Git has it; without JSON, it is what kubectl or Argo CD has applied last,
// and if the VM does not report that, nothing is known. Fields that wanted lacks do not
// count: nothing sets them back.
func ByHand(live, wanted manifest.Object) []Deed {
	p := &planner{live: readLive([]manifest.Object{live})}
	object := p.live.object(live.ID)
	was := applied(object)
	if wanted.JSON == nil {
		wanted.JSON = []byte(compact(was))
	}
	if object == nil || manifest.Decode(wanted.JSON) == nil {
		return nil
	}
	if was != nil {
		was = withRunStrategy(was)
	}
	s := p.compared(&pair{id: live.ID, new: wanted.JSON}, was)
	s.git, s.inCluster = s.new, object
	return s.deeds(was)
}

// deeds returns the fields in which the cluster differs from Git, except for those that Git has
// changed since it was applied.
func (s *subject) deeds(was tree) []Deed {
	var out []Deed
	for _, c := range changes(s) {
		isPending := was != nil && !equal(c.path, valueAt(was, c.path), c.now)
		if isPending || isCosmetic(&c) || isTracking(&c) {
			continue
		}
		d := s.deed(&c)
		if !slices.ContainsFunc(out, func(o Deed) bool { return o.Path == d.Path }) {
			out = append(out, d)
		}
	}
	return out
}

func (s *subject) deed(c *change) Deed {
	d := Deed{FieldStatus: s.field(c)}
	d.By, d.At = authorOf(s.inCluster, c.path)
	d.Who = client(d.By)
	seen := *s
	seen.live = &liveMachine{object: s.inCluster}
	d.What = seen.pattern(c)
	return d
}

// clients are the beginnings of names in managedFields, and whose they are: a client that
// chooses none has the first word of its User-Agent (k8s.io/apiserver v0.34,
// pkg/endpoints/handlers/create.go, managerOrUserAgent).
var clients = []struct{ prefix, who string }{
	{"Mozilla", "a browser: OpenShift's console"},
	{"kubectl-edit", "kubectl edit"},
	{"kubectl-patch", "kubectl patch"},
	{"kubectl-replace", "kubectl replace"},
	{"kubectl-label", "kubectl label"},
	{"kubectl-annotate", "kubectl annotate"},
	{"kubectl-client-side-apply", "kubectl apply"},
	{"kubectl", "kubectl"},
	{"virt-api", "virt-api: virtctl, or the buttons of a console"},
	{"virt-controller", "KubeVirt: a restore, or what was plugged"},
	{"virtctl", "virtctl"},
	{"forklift", "the Migration Toolkit for Virtualization"},
	{"argocd", "Argo CD"},
}

// client names the owner of a name in managedFields.
func client(name string) string {
	for _, c := range clients {
		if strings.HasPrefix(name, c.prefix) {
			return c.who
		}
	}
	return sentence(name)
}
