package outcome_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/rule"
)

const (
	options = "argocd.argoproj.io/sync-options"
	wave    = "argocd.argoproj.io/sync-wave"
	compare = "argocd.argoproj.io/compare-options"
)

var (
	disk = outcome.Promise{Annotations: []outcome.Pair{
		{Key: wave, Value: "3"}, {Key: options, Value: "Prune=false,Delete=false"},
	}}
	pet = outcome.Promise{
		Scope: outcome.Machine, Pet: true, Options: "Prune=false,Delete=confirm", Instead: "use another",
		Annotations: []outcome.Pair{{Key: "vmrender.io/lifecycle", Value: "pet"}},
		Labels:      []outcome.Pair{{Key: "kubevirt.io/vm-delete-protection", Value: "True", Loss: "is needed"}},
	}
	replaced = outcome.Promise{Scope: outcome.Machine, Replace: true, Options: "Force=true,Replace=true"}
	template = outcome.Promise{Scope: outcome.Template, Labels: []outcome.Pair{{Key: "vmrender.io/disk", Value: "root"}}}
)

type texts map[string]string

func TestCheck(t *testing.T) {
	const (
		kept    = "Prune=false,Delete=false"
		guarded = "Prune=false,Delete=confirm"
		reserve = "vmrender.io/lifecycle"
		protect = "kubevirt.io/vm-delete-protection"
	)
	onDisk := func(more texts) texts { return merged(texts{wave: "3", options: kept}, more) }
	onPet := func(more texts) texts { return merged(texts{reserve: "pet", options: guarded}, more) }
	protected := texts{protect: "True"}
	for name, test := range map[string]struct {
		promise             outcome.Promise
		annotations, labels texts
		found               string // rule and the last key of each
	}{
		"a disk":         {promise: disk, annotations: onDisk(texts{"a": "b"})},
		"a disk without": {promise: disk, found: "sync-options " + wave + ", sync-options " + options},
		"a disk with more options": {
			promise: disk, annotations: onDisk(texts{options: kept + ",A=b"}), found: "sync-options " + options,
		},
		"a hook": {
			promise: disk, annotations: onDisk(texts{"argocd.argoproj.io/hook": ""}),
			found: "sync-options argocd.argoproj.io/hook",
		},
		"a key of Helm": {
			promise: disk, annotations: onDisk(texts{"helm.sh/resource-policy": "keep"}),
			found: "identity helm.sh/resource-policy",
		},
		"a label of a chart": {promise: disk, annotations: onDisk(nil), labels: texts{"helm.sh/chart": "a-1"}},

		"a pet": {promise: pet, annotations: onPet(nil), labels: protected},
		"a pet with more options": {
			promise: pet, annotations: onPet(texts{options: "Prune=false, Delete=false,A=b"}), labels: protected,
		},
		"a pet in its wave": {promise: pet, annotations: onPet(texts{wave: "0"}), labels: protected},
		"a pet in another wave": {
			promise: pet, annotations: onPet(texts{wave: "1"}), labels: protected, found: "sync-options " + wave,
		},
		"a pet, hidden": {
			promise: pet, annotations: onPet(texts{compare: "A=b, IgnoreExtraneous"}), labels: protected,
			found: "protection " + compare,
		},
		"a pet, compared otherwise": {
			promise: pet, annotations: onPet(texts{compare: "ServerSideDiff=true"}), labels: protected,
		},
		"a pet without": {
			promise: pet,
			found:   "protection " + protect + ", reserved " + reserve + ", protection " + options + ", protection " + options,
		},
		"a pet that is replaced": {
			promise: pet, annotations: onPet(texts{options: guarded + ",Force=true"}), labels: protected,
			found: "sync-options " + options,
		},
		"another key": {
			promise: pet, annotations: onPet(texts{"vmrender.io/x": ""}), labels: protected, found: "reserved vmrender.io/x",
		},

		"replaced": {promise: replaced, annotations: texts{options: "Replace=true,Force=true"}},
		"not replaced": {
			promise: replaced, annotations: texts{options: "Replace=true"}, found: "protection " + options,
		},
		"a template": {
			promise: template, labels: texts{"vmrender.io/disk": "root"}, annotations: texts{"argocd.argoproj.io/x": ""},
		},
		"a template without": {promise: template, found: "reserved vmrender.io/disk"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range test.promise.Check(&metav1.ObjectMeta{Annotations: test.annotations, Labels: test.labels}) {
				got = append(got, string(f.Rule)+" "+f.Keys[len(f.Keys)-1])
			}
			require.Equal(t, test.found, strings.Join(got, ", "))
		})
	}
}

func merged(a, b texts) texts {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func TestCheckFields(t *testing.T) {
	found := template.Check(&metav1.ObjectMeta{
		Labels: texts{"vmrender.io/disk": "root"}, Finalizers: []string{"a/b"},
		OwnerReferences: make([]metav1.OwnerReference, 1),
	})
	require.Len(t, found, 2)
	require.Equal(t, rule.Unsafe, found[0].Rule)
	require.Equal(t, []string{"metadata", "ownerReferences"}, found[1].Keys)
	require.Empty(t, outcome.Service(&corev1.ServiceSpec{}))
	require.Len(t, outcome.Service(&corev1.ServiceSpec{ExternalIPs: []string{"192.0.2.1"}}), 1)
	require.Empty(t, outcome.Secret("Opaque"))
	require.Len(t, outcome.Secret("kubernetes.io/service-account-token"), 1)
}

// A look at an object that keeps its promises allocates nothing.
func TestCheckAllocatesNothing(t *testing.T) {
	m := &metav1.ObjectMeta{
		Annotations: texts{"vmrender.io/lifecycle": "pet", options: "Prune=false,Delete=confirm", "a": "b"},
		Labels:      texts{"kubevirt.io/vm-delete-protection": "True"},
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if pet.Check(m) != nil {
			panic("found")
		}
	}))
}
