package pairs

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Deed is a field of a VM that was changed in the cluster, and not in Git.
type Deed struct {
	impact.FieldStatus
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
	p := &Set{Live: cluster.Read([]manifest.Object{live})}
	object := p.Live.Object(live.ID)
	was := cluster.Applied(object)
	if wanted.JSON == nil {
		wanted.JSON = []byte(manifest.Compact(was))
	}
	if object == nil || manifest.Decode(wanted.JSON) == nil {
		return nil
	}
	if was != nil {
		was = cluster.WithRunStrategy(was)
	}
	s := p.compared(&Pair{ID: live.ID, New: wanted.JSON}, was)
	s.Git, s.InCluster = s.New, object
	return deeds(s, was)
}

// deeds returns the fields in which the cluster differs from Git, except for those that Git has
// changed since it was applied.
func deeds(s *impact.Subject, was manifest.Tree) []Deed {
	var out []Deed
	for _, c := range impact.Changes(s) {
		isPending := was != nil && !diff.Equal(c.Path, valueAt(was, c.Path), c.Now)
		if isPending || impact.IsCosmetic(&c) || isTracking(&c) {
			continue
		}
		d := deedOf(s, &c)
		if !slices.ContainsFunc(out, func(o Deed) bool { return o.Path == d.Path }) {
			out = append(out, d)
		}
	}
	return out
}

func deedOf(s *impact.Subject, c *diff.Change) Deed {
	d := Deed{FieldStatus: s.Field(c)}
	d.By, d.At = cluster.AuthorOf(s.InCluster, c.Path)
	d.Who = client(d.By)
	seen := *s
	seen.Live = &cluster.Machine{Object: s.InCluster}
	d.What = seen.Pattern(c)
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
	{"kustomize-controller", "Flux"},
}

// client names the owner of a name in managedFields.
func client(name string) string {
	for _, c := range clients {
		if strings.HasPrefix(name, c.prefix) {
			return c.who
		}
	}
	return wording.Sentence(name)
}
