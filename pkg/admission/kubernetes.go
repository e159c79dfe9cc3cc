package admission

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// listing is a rule that finds any number of problems, in Kubernetes' own form.
type listing struct {
	Rule

	errors func(*subject) field.ErrorList
}

// kubernetesRules are about the fields whose form is Kubernetes'. KubeVirt checks some of them as Kubernetes does; the
// others are checked when the pod of the VM is created.
var kubernetesRules = []listing{
	{
		Rule{ID: "affinity", Kind: rule.Refused, Field: "affinity", Problem: "what Kubernetes refuses of an affinity", Source: sourceScheduler},
		func(s *subject) field.ErrorList {
			if s.Affinity == nil {
				return nil
			}
			return checkAffinity(s.Affinity, at("affinity"))
		},
	},
	{
		Rule{
			ID: "topology-spread", Kind: rule.Refused, Field: "topologySpreadConstraints", Source: sourceScheduler,
			Problem: "what Kubernetes refuses of topology spread constraints",
		},
		func(s *subject) field.ErrorList {
			if len(s.TopologySpreadConstraints) == 0 {
				return nil
			}
			return checkSpread(s.TopologySpreadConstraints, at("topologySpreadConstraints"))
		},
	},
	{
		Rule{
			ID: "tolerations", Kind: rule.Refused, Field: "tolerations", Starts: true, Source: sourcePod,
			Problem: "what Kubernetes refuses of a toleration",
		},
		func(s *subject) field.ErrorList {
			if len(s.Tolerations) == 0 {
				return nil
			}
			return checkTolerations(s.Tolerations, at("tolerations"))
		},
	},
	{
		Rule{
			ID: "node-selector", Kind: rule.BadLabel, Field: "nodeSelector", Starts: true, Source: sourcePod,
			Problem: "a key or value that no label of a node has",
		},
		func(s *subject) field.ErrorList {
			if len(s.NodeSelector) == 0 {
				return nil
			}
			return checkLabels(s.NodeSelector, nil, "spec", "template", "spec", "nodeSelector")
		},
	},
	{
		Rule{ID: "labels", Kind: rule.BadLabel, Field: "/metadata.labels", Source: sourcePod, Problem: "an invalid label"},
		func(s *subject) field.ErrorList {
			return checkLabels(s.vm.Labels, nil, "metadata", "labels")
		},
	},
	{
		Rule{
			ID: "pod-labels", Kind: rule.BadLabel, Field: "/spec.template.metadata.labels", Starts: true, Source: sourcePod,
			Problem: "an invalid label",
		},
		func(s *subject) field.ErrorList {
			return checkLabels(s.vm.Spec.Template.ObjectMeta.Labels, s.vm.Labels, "spec", "template", "metadata", "labels")
		},
	},
	{
		Rule{ID: "readiness-probe", Kind: rule.Refused, Field: "readinessProbe", Source: sourceInstance, Problem: "an invalid probe"},
		func(s *subject) field.ErrorList { return s.checkProbe(s.ReadinessProbe, "readinessProbe") },
	},
	{
		Rule{ID: "liveness-probe", Kind: rule.Refused, Field: "livenessProbe", Source: sourceInstance, Problem: "an invalid probe"},
		func(s *subject) field.ErrorList { return s.checkProbe(s.LivenessProbe, "livenessProbe") },
	},
}

// checkLabels checks labels at a path, except those that were checked elsewhere. Kubernetes' own validation uses regular
// expressions, which would cost a tenth of a render, so that it is asked only about what is not plainly valid.
func checkLabels(labels, checked map[string]string, path ...string) field.ErrorList {
	for key, value := range labels {
		if was, ok := checked[key]; ok && was == value {
			continue
		}
		name := key[strings.IndexByte(key, '/')+1:]
		if !isPlain(name) || len(name) != len(key) && !isDomain(key[:len(key)-len(name)-1]) || value != "" && !isPlain(value) {
			return metav1validation.ValidateLabels(labels, field.NewPath(path[0], path[1:]...))
		}
	}
	return nil
}

// isDomain reports whether a text is a plain one of lower case letters, digits, - and ., without two marks in a row.
func isDomain(text string) bool {
	switch text { // those of most labels
	case "app.kubernetes.io", "kubevirt.io", "vm.kubevirt.io", "vmrender.io":
		return true
	}
	for i := range len(text) {
		if c := text[i]; c == '_' || c >= 'A' && c <= 'Z' || isMark(c) && i > 0 && isMark(text[i-1]) {
			return false
		}
	}
	return isPlain(text)
}

// isPlain reports whether a text has at most 63 letters, digits, -, _ and ., and a letter or digit at both ends.
func isPlain(text string) bool {
	if text == "" || len(text) > 63 || isMark(text[0]) || isMark(text[len(text)-1]) {
		return false
	}
	for i := range len(text) {
		if !inLabel[text[i]] {
			return false
		}
	}
	return true
}

// inLabel contains true for the bytes of plain texts.
var inLabel = func() (table [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		table[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || isMark(c)
	}
	return table
}()

func isMark(c byte) bool { return c == '-' || c == '_' || c == '.' }

// at returns the path of a field of the instance.
func at(key string) *field.Path { return field.NewPath("spec", "template", "spec", key) }

// text returns a value as it is shown in a problem.
func text(value any) string { return fmt.Sprint(value) }

// checkProbe checks that a probe has one handler, and one that needs an address has one.
func (s *subject) checkProbe(p *kubevirtv1.Probe, key string) field.ErrorList {
	if p == nil {
		return nil
	}
	var all field.ErrorList
	n := count(p.HTTPGet != nil, p.TCPSocket != nil, p.Exec != nil, p.GuestAgentPing != nil)
	if n == 0 {
		all = append(all, field.Required(at(key), "expected one of httpGet, tcpSocket, exec, guestAgentPing"))
	}
	if n > 1 {
		all = append(all, field.Forbidden(at(key), "expected one of httpGet, tcpSocket, exec, guestAgentPing"))
	}
	if (p.HTTPGet != nil || p.TCPSocket != nil) && countNetworks(s.VirtualMachineInstanceSpec, isPod) == 0 {
		all = append(all, field.Forbidden(at(key), "httpGet and tcpSocket need a NIC on the pod network"))
	}
	return all
}

func checkAffinity(a *corev1.Affinity, path *field.Path) field.ErrorList {
	var all field.ErrorList
	if n := a.NodeAffinity; n != nil {
		all = append(all, checkNodeAffinity(n, path.Child("nodeAffinity"))...)
	}
	if p := a.PodAffinity; p != nil {
		all = append(all, checkPodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))...)
	}
	if p := a.PodAntiAffinity; p != nil {
		all = append(all, checkPodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))...)
	}
	return all
}

// The names of the lists of terms.
const (
	requiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

func checkNodeAffinity(n *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	var all field.ErrorList
	if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		terms := path.Child(requiredTerms, "nodeSelectorTerms")
		if len(r.NodeSelectorTerms) == 0 {
			all = append(all, field.Required(terms, "expected at least one term"))
		}
		for i := range r.NodeSelectorTerms {
			all = append(all, checkNodeTerm(&r.NodeSelectorTerms[i], terms.Index(i))...)
		}
	}
	for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
		p, at := &n.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child(preferredTerms).Index(i)
		all = append(all, checkWeight(p.Weight, at)...)
		all = append(all, checkNodeTerm(&p.Preference, at.Child("preference"))...)
	}
	return all
}

func checkWeight(weight int32, path *field.Path) field.ErrorList {
	if weight < 1 || weight > 100 {
		return field.ErrorList{field.Invalid(path.Child("weight"), weight, "expected a number from 1 to 100")}
	}
	return nil
}

func checkNodeTerm(t *corev1.NodeSelectorTerm, path *field.Path) field.ErrorList {
	all := make(field.ErrorList, 0, len(t.MatchFields))
	for i := range t.MatchExpressions {
		r, at := &t.MatchExpressions[i], path.Child("matchExpressions").Index(i)
		all = append(all, checkRequirement(r, at)...)
		all = append(all, metav1validation.ValidateLabelName(r.Key, at.Child("key"))...)
	}
	for i := range t.MatchFields {
		r, at := &t.MatchFields[i], path.Child("matchFields").Index(i)
		if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
			all = append(all, field.NotSupported(at.Child("operator"), r.Operator, []string{"In", "NotIn"}))
		}
		if len(r.Values) != 1 {
			all = append(all, field.Required(at.Child("values"), "expected one value"))
		}
		if r.Key != "metadata.name" {
			all = append(all, field.NotSupported(at.Child("key"), r.Key, []string{"metadata.name"}))
		}
	}
	return all
}

// checkRequirement checks that a requirement has as many values as its operator takes.
func checkRequirement(r *corev1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			return field.ErrorList{field.Required(path.Child("values"), "expected at least one value with the operators In and NotIn")}
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			return field.ErrorList{field.Forbidden(path.Child("values"), "remove it, or use the operator In or NotIn")}
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			return field.ErrorList{field.Required(path.Child("values"), "expected one value with the operators Gt and Lt")}
		}
	default:
		return field.ErrorList{field.NotSupported(path.Child("operator"), r.Operator,
			[]string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"})}
	}
	return nil
}

func checkPodTerms(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm, path *field.Path) field.ErrorList {
	all := make(field.ErrorList, 0, len(required))
	for i := range required {
		all = append(all, checkPodTerm(&required[i], path.Child(requiredTerms).Index(i))...)
	}
	for i := range preferred {
		at := path.Child(preferredTerms).Index(i)
		all = append(all, checkWeight(preferred[i].Weight, at)...)
		all = append(all, checkPodTerm(&preferred[i].PodAffinityTerm, at.Child("podAffinityTerm"))...)
	}
	return all
}

func checkPodTerm(t *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	var none metav1validation.LabelSelectorValidationOptions
	all := metav1validation.ValidateLabelSelector(t.LabelSelector, none, path.Child("labelSelector"))
	all = append(all, metav1validation.ValidateLabelSelector(t.NamespaceSelector, none, path.Child("namespaceSelector"))...)
	for i, name := range t.Namespaces {
		for _, problem := range apivalidation.ValidateNamespaceName(name, false) {
			all = append(all, field.Invalid(path.Child("namespaces").Index(i), name, problem))
		}
	}
	return append(all, checkTopologyKey(t.TopologyKey, path.Child("topologyKey"))...)
}

func checkTopologyKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "expected the key of a label of nodes")}
	}
	return metav1validation.ValidateLabelName(key, path)
}

func checkSpread(list []corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for i := range list {
		c, at := &list[i], path.Index(i)
		if c.MaxSkew < 1 {
			all = append(all, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "expected at least 1"))
		}
		all = append(all, checkTopologyKey(c.TopologyKey, at.Child("topologyKey"))...)
		if c.WhenUnsatisfiable != corev1.DoNotSchedule && c.WhenUnsatisfiable != corev1.ScheduleAnyway {
			all = append(all, field.NotSupported(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, []string{"DoNotSchedule", "ScheduleAnyway"}))
		}
		all = append(all, metav1validation.ValidateLabelSelector(c.LabelSelector,
			metav1validation.LabelSelectorValidationOptions{}, at.Child("labelSelector"))...)
		isSame := func(o corev1.TopologySpreadConstraint) bool {
			return o.TopologyKey == c.TopologyKey && o.WhenUnsatisfiable == c.WhenUnsatisfiable
		}
		if slices.ContainsFunc(list[:i], isSame) {
			all = append(all, field.Invalid(at, c.TopologyKey, "two constraints have this topologyKey and the same whenUnsatisfiable"))
		}
	}
	return all
}

func checkTolerations(list []corev1.Toleration, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for i := range list {
		t, at := &list[i], path.Index(i)
		if t.Key != "" {
			all = append(all, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			all = append(all, field.Required(at.Child("key"), "expected a key, or the operator Exists"))
		}
		if !slices.Contains([]corev1.TolerationOperator{"", "Equal", "Exists", "Lt", "Gt"}, t.Operator) {
			all = append(all, field.NotSupported(at.Child("operator"), t.Operator, []string{"Equal", "Exists"}))
		}
		if t.Operator == corev1.TolerationOpExists && t.Value != "" {
			all = append(all, field.Forbidden(at.Child("value"), "remove it, or use the operator Equal"))
		}
		if !slices.Contains([]corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}, t.Effect) {
			all = append(all, field.NotSupported(at.Child("effect"), t.Effect, []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			all = append(all, field.Invalid(at.Child("effect"), t.Effect, "expected NoExecute, or no tolerationSeconds"))
		}
	}
	return all
}
