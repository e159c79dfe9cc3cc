package plan

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/admission"
)

// The codes of VMs that KubeVirt does not accept.
const (
	codeRefused     Code = "refused"
	codeNeverStarts Code = "never-starts"
)

// refusals returns the causes of what KubeVirt refuses of the new side of a VM, and did not refuse of the old one: a
// cluster that has the VM already accepts what is in it.
func refusals(s *subject, pair *pair) []Cause {
	if s.new == nil || pair.isSame() {
		return nil
	}
	vm, err := typed(pair.new, s.isPool())
	if err != nil {
		reason := "a field has a type that the API server refuses: " + err.Error()
		return []Cause{{Level: Refused, Code: codeRefused, Reason: reason}}
	}
	cluster := &admission.Cluster{KubeVirt: s.cluster.KubeVirt, Stage: s.cluster.stages(), Gate: s.cluster.knownGate}
	found := admission.Check(vm, cluster)
	if len(found) == 0 {
		return nil
	}
	if old, err := typed(pair.old, s.isPool()); s.old != nil && err == nil {
		before := admission.Check(old, cluster)
		found = slices.DeleteFunc(found, func(f admission.Finding) bool {
			return slices.ContainsFunc(before, func(b admission.Finding) bool { return b.ID == f.ID && b.Entry == f.Entry })
		})
	}
	out := make([]Cause, len(found))
	for i := range found {
		out[i] = refusal(s, &found[i])
	}
	return out
}

// refusal returns the cause of a VM, or the template of a pool, that KubeVirt refuses.
func refusal(s *subject, f *admission.Finding) Cause {
	reason := "KubeVirt refuses it: " + f.Problem()
	c := Cause{Path: f.Path, Level: Refused, Code: codeRefused, Reason: reason, Approximate: f.Doubt}
	if f.Starts {
		c.Level, c.Code, c.When = Staged, codeNeverStarts, atNextStart
		c.Reason = "KubeVirt accepts the VM, and refuses to start it: " + f.Problem()
	}
	if f.Gate != "" {
		c.Advice = "switch the feature gate on first"
	}
	if i := strings.LastIndexByte(c.Path, '['); f.Entry != "" && i >= 0 {
		c.Path = c.Path[:i] + "[" + f.Entry + c.Path[i+strings.IndexByte(c.Path[i:], ']'):]
	}
	if rest, ok := strings.CutPrefix(c.Path, "spec."); ok && s.isPool() {
		c.Path = "spec.virtualMachineTemplate.spec." + rest
	}
	return c
}

// withRefusals adds causes of refusals to others, unless a rule predicts them already.
func withRefusals(causes, refusals []Cause) []Cause {
	for _, r := range refusals {
		isKnown := func(c Cause) bool { return c.Level >= r.Level && c.Path == r.Path }
		if !slices.ContainsFunc(causes, isKnown) {
			causes = append(causes, r)
		}
	}
	return causes
}

// typed returns a VirtualMachine, or the template of a pool in the form of one, in KubeVirt's type.
func typed(text []byte, isPool bool) (*kubevirtv1.VirtualMachine, error) {
	vm := &kubevirtv1.VirtualMachine{}
	if !isPool {
		return vm, json.Unmarshal(text, vm)
	}
	var pool struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			VirtualMachineTemplate struct {
				Spec kubevirtv1.VirtualMachineSpec `json:"spec"`
			} `json:"virtualMachineTemplate"`
		} `json:"spec"`
	}
	err := json.Unmarshal(text, &pool)
	vm.ObjectMeta, vm.Spec = pool.Metadata, pool.Spec.VirtualMachineTemplate.Spec
	return vm, err
}

// knownGate returns whether a feature gate is on, and whether the cluster is known to have it so. One that nothing is
// known about counts as on: HyperConverged, which configures KubeVirt on OpenShift, sets gates of its own.
func (c Cluster) knownGate(name string) (on, known bool) {
	_, known = c.FeatureGates[name]
	return c.gate(name) || c.OpenShift && !known, known
}
