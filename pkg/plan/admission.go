package plan

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// The codes of VMs that KubeVirt does not accept.
const (
	codeRefused     impact.Code = "refused"
	codeNeverStarts impact.Code = "never-starts"
)

// refusals returns the causes of what KubeVirt refuses of the new side of a VM, and did not refuse of the old one: a
// cluster that has the VM already accepts what is in it.
func refusals(s *impact.Subject, pair *pairs.Pair) []impact.Cause {
	if s.New == nil || pair.IsSame() {
		return nil
	}
	vm, err := typed(pair.New, s.IsPool())
	if err != nil {
		reason := "a field has a type that the API server refuses: " + err.Error()
		return []impact.Cause{{Level: impact.Refused, Code: codeRefused, Reason: reason}}
	}
	cluster := &admission.Cluster{KubeVirt: s.Cluster.KubeVirt, Stage: s.Cluster.Stages(), Gate: s.Cluster.KnownGate}
	found := admission.Check(vm, cluster)
	if len(found) == 0 {
		return nil
	}
	if old, err := typed(pair.Old, s.IsPool()); s.Old != nil && err == nil {
		before := admission.Check(old, cluster)
		found = slices.DeleteFunc(found, func(f admission.Finding) bool {
			return slices.ContainsFunc(before, func(b admission.Finding) bool { return b.ID == f.ID && b.Entry == f.Entry })
		})
	}
	out := make([]impact.Cause, len(found))
	for i := range found {
		out[i] = refusal(s, &found[i])
	}
	return out
}

// refusal returns the cause of a VM, or the template of a pool, that KubeVirt refuses.
func refusal(s *impact.Subject, f *admission.Finding) impact.Cause {
	reason := "KubeVirt refuses it: " + f.Problem()
	c := impact.Cause{Path: f.Path, Level: impact.Refused, Code: codeRefused, Reason: reason, Approximate: f.Doubt}
	if f.Starts {
		c.Level, c.Code, c.When = impact.Staged, codeNeverStarts, impact.AtNextStart
		c.Reason = "KubeVirt accepts the VM, and refuses to start it: " + f.Problem()
	}
	if f.Gate != "" {
		c.Advice = "switch the feature gate on first"
	}
	if i := strings.LastIndexByte(c.Path, '['); f.Entry != "" && i >= 0 {
		c.Path = c.Path[:i] + "[" + f.Entry + c.Path[i+strings.IndexByte(c.Path[i:], ']'):]
	}
	if rest, ok := strings.CutPrefix(c.Path, "spec."); ok && s.IsPool() {
		c.Path = "spec.virtualMachineTemplate.spec." + rest
	}
	return c
}

// withRefusals adds causes of refusals to others, unless a rule predicts them already.
func withRefusals(causes, refusals []impact.Cause) []impact.Cause {
	for _, r := range refusals {
		isKnown := func(c impact.Cause) bool { return c.Level >= r.Level && c.Path == r.Path }
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
