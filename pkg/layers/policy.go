package layers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderPolicies wraps the layers of the platform at path in policies of Red Hat
// Advanced Cluster Management. There is one Policy per layer, which enforces or only
// informs, depending on the layer's action, and depends on the policies of earlier
// waves. The result also contains the objects that bind the policies to clusters. It
// must only be used if there are no errors.
func renderPolicies(path string, opts Options) ([]manifest.Object, *source.Diagnostics) {
	var diags source.Diagnostics
	p := load(path, opts, &diags)
	if p == nil {
		return nil, &diags
	}
	w := policyWriter{loaded: p, namespace: cmp.Or(p.Policy.Namespace, "policies")}
	layers := p.renderAll(opts, &diags)
	for _, r := range layers {
		r.reportRemote(&diags)
	}
	if diags.HasErrors() {
		return nil, &diags
	}
	w.held = p.held(layers, opts)
	for _, r := range layers {
		r.objects = slices.DeleteFunc(r.objects, func(o manifest.Object) bool { return skipped(o) || forArgoCD(o) })
		if err := w.addLayer(r, p.needed(r, opts)); err != nil {
			diags.Errorf(r.key, rule.Policy, r.path, "%v", err)
		}
	}
	objects, err := w.finish()
	if err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Policy, "", "%v", err)
	}
	return objects, &diags
}

// policyWriter collects the policies of a platform.
type policyWriter struct {
	*loaded
	namespace string
	policies  []*kubeObject
	extra     []*kubeObject // automations
	steps     []step        // the policies that others wait for
	held      map[string]bool

	enforceable []*kubeObject // the policies of layers that are applied
}

// step is a policy with its wave.
type step struct {
	wave int
	dependency
}

func (w *policyWriter) name(layer string) string { return w.Metadata.Name + "-" + layer }

// remediation returns the remediation action of a layer's policy.
func (w *policyWriter) remediation(r rendered) string {
	if r.shows() || r.waits {
		return "inform"
	}
	return cmp.Or(w.Policy.RemediationAction, "enforce")
}

// longestPolicy is the number of characters that the namespace and the name of a Policy
// may have together (governance-policy-propagator, api/v1/policy_webhook.go).
const longestPolicy = 62

func (w *policyWriter) addLayer(r rendered, needed []string) error {
	if n := len(w.namespace) + len(w.name(r.name)); n > longestPolicy {
		return fmt.Errorf("the names of namespace %q and policy %q have %d characters together; expected at most %d",
			w.namespace, w.name(r.name), n, longestPolicy)
	}
	templates, err := r.templates(w.name(r.name), w.remediation(r))
	if err != nil {
		return err
	}
	policy := newObject(policyAPI, "Policy", w.namespace, w.name(r.name), policySpec{
		RemediationAction: w.remediation(r),
		Disabled:          r.Action == "Ignore",
		Dependencies:      slices.Concat(w.earlier(r.wave()), w.waitedFor(needed)),
		Templates:         templates,
	})
	if slices.ContainsFunc(r.objects, func(o manifest.Object) bool { return bytes.Contains(o.JSON, []byte("{{hub")) }) {
		policy.keepBraces()
	}
	w.policies = append(w.policies, policy)
	if r.automated() {
		w.enforceable = append(w.enforceable, policy)
	}
	if r.automated() && !w.held[r.name] && !r.goesOn() {
		w.steps = append(w.steps, step{r.wave(), w.compliant(r.name)})
	}
	if r.Automation != nil {
		w.addAutomation(r)
	}
	return nil
}

func (w *policyWriter) compliant(layer string) dependency {
	return dependency{policyAPI, "Policy", w.namespace, w.name(layer), "Compliant"}
}

// waitedFor returns the policies of layers that a layer needs and that only inform, or
// wait for such a layer themselves: nothing else waits for those.
func (w *policyWriter) waitedFor(needed []string) []dependency {
	var out []dependency
	for _, name := range needed {
		if w.held[name] || w.layer(name).pending() {
			out = append(out, w.compliant(name))
		}
	}
	return out
}

// earlier returns the policies of the nearest earlier wave, which depend on those
// before them.
func (w *policyWriter) earlier(wave int) []dependency {
	var before int
	var out []dependency
	for _, s := range slices.Backward(w.steps) {
		if s.wave == wave || out != nil && s.wave != before {
			continue
		}
		before, out = s.wave, append(out, s.dependency)
	}
	slices.Reverse(out)
	return out
}

// addAutomation adds a job template to run when the layer's policy is violated
// (governance-policy-propagator, api/v1beta1/policyautomation_types.go).
func (w *policyWriter) addAutomation(r rendered) {
	a := r.Automation
	def := map[string]any{"type": "AnsibleJob", "name": a.Template, "secret": a.Secret}
	if a.ExtraVars != nil {
		def["extra_vars"] = json.RawMessage(source.AppendJSON(nil, a.ExtraVars))
	}
	name := w.name(r.name)
	w.extra = append(w.extra, newObject(policyBeta, "PolicyAutomation", w.namespace, name, map[string]any{
		"policyRef": name, "eventHook": "noncompliant", "mode": cmp.Or(a.Mode, "once"), "automationDef": def,
	}))
}

// templates returns an OperatorPolicy per Subscription, and ConfigurationPolicies for
// everything else: one per wave, each after the previous one.
func (r rendered) templates(name, action string) ([]policyTemplate, error) {
	var out []policyTemplate
	groups := map[string]manifest.Object{}
	for _, o := range r.objects {
		if o.Kind == "OperatorGroup" {
			groups[o.Namespace] = o
		}
	}
	var before []dependency
	for _, wave := range r.byWave() {
		templates, err := wave.templates(name, action, groups)
		if err != nil {
			return nil, err
		}
		var made []dependency
		for i := range templates {
			d := templates[i].ObjectDefinition
			templates[i].ExtraDependencies = before
			made = append(made, dependency{
				APIVersion: d.APIVersion, Kind: d.Kind, Name: d.Metadata.Name, Compliance: "Compliant",
			})
		}
		out = append(out, templates...)
		if made != nil {
			before = made
		}
	}
	return out, nil
}

// policyWave contains the objects of one sync wave of a layer.
type policyWave struct {
	number  int
	objects []manifest.Object
}

func (r rendered) byWave() []policyWave {
	var out []policyWave
	for _, o := range r.objects {
		if n := waveOf(o); len(out) == 0 || out[len(out)-1].number != n {
			out = append(out, policyWave{number: n})
		}
		last := &out[len(out)-1]
		last.objects = append(last.objects, o)
	}
	return out
}

// templates returns the templates of one wave. It skips OperatorGroups, which belong to
// the policies of their Subscriptions, and Operators, for those policies evaluate what is
// installed themselves.
func (w policyWave) templates(name, action string, groups map[string]manifest.Object) ([]policyTemplate, error) {
	var out []policyTemplate
	var plain []objectTemplate
	for _, o := range w.objects {
		switch o.Kind {
		case "OperatorGroup", "Operator":
		case "Subscription":
			t, err := operatorPolicy(o, groups[o.Namespace], action)
			if err != nil {
				return nil, err
			}
			out = append(out, policyTemplate{ObjectDefinition: t})
		default:
			text, err := definition(o)
			if err != nil {
				return nil, err
			}
			plain = append(plain, objectTemplate{"musthave", recreate(o.Kind), text})
		}
	}
	if plain != nil {
		suffix := strings.ReplaceAll(fmt.Sprintf("-wave%d", w.number), "-wave-", "-before")
		spec := configurationSpec{action, "medium", "None", plain}
		policy := newObject(policyAPI, "ConfigurationPolicy", "", name+suffix, spec)
		braces := func(t objectTemplate) bool { return bytes.Contains(t.ObjectDefinition, []byte("{{")) }
		if slices.ContainsFunc(plain, braces) {
			policy.keepBraces()
		}
		out = append(out, policyTemplate{ObjectDefinition: policy})
	}
	return out, nil
}

// recreate returns the option by which an object that cannot be changed is recreated.
// Argo CD runs a Job that is a hook in every sync, a policy when the Job differs: its
// fields are immutable, so without the option the policy would stay violated
// (config-policy-controller, api/v1/configurationpolicy_types.go, RecreateOption).
func recreate(kind string) string {
	if kind == "Job" {
		return "IfRequired"
	}
	return ""
}

// forArgoCD reports whether only an Application needs an object, such as what approves
// the versions that an OperatorPolicy approves itself.
func forArgoCD(o manifest.Object) bool { return annotationsOf(o)[labels.Delivery] == "argocd" }

// operatorPolicy returns the OperatorPolicy that installs an operator like a
// Subscription. Manual approval with a version becomes that version; without manual
// approval, a version is where the upgrades by the channel begin.
func operatorPolicy(subscription, group manifest.Object, action string) (*kubeObject, error) {
	var sub struct {
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal(subscription.JSON, &sub); err != nil {
		return nil, err
	}
	spec := operatorSpec{
		RemediationAction: action, Severity: "medium", ComplianceType: "musthave",
		UpgradeApproval: "Automatic", Subscription: sub.Spec,
	}
	if sub.Spec["installPlanApproval"] == "Manual" {
		spec.UpgradeApproval = "None"
	}
	delete(sub.Spec, "installPlanApproval") // upgradeApproval replaces it
	// Versions that are listed are the only ones that are approved, so upgrades by the channel need an empty list.
	if csv, ok := sub.Spec["startingCSV"].(string); ok && spec.UpgradeApproval == "None" {
		spec.Versions = []string{csv}
	}
	// As in a Subscription, `name` is the package.
	sub.Spec["namespace"] = subscription.Namespace
	if group.JSON != nil {
		var g struct {
			Spec map[string]any `json:"spec"`
		}
		if err := json.Unmarshal(group.JSON, &g); err != nil {
			return nil, err
		}
		spec.OperatorGroup = map[string]any{"name": group.Name, "namespace": group.Namespace}
		if namespaces, ok := g.Spec["targetNamespaces"]; ok {
			spec.OperatorGroup["targetNamespaces"] = namespaces
		}
	}
	return newObject(policyBeta, "OperatorPolicy", "", subscription.Name, spec), nil
}

// definition returns the JSON of an object for a ConfigurationPolicy: without the
// annotations that only Argo CD reads, and with the status that it has when it works.
// A policy that enforces compares the status and does not write it
// (config-policy-controller, controllers/configurationpolicy_controller.go, handleKeys).
func definition(o manifest.Object) (json.RawMessage, error) {
	var tree map[string]any
	if err := json.Unmarshal(o.JSON, &tree); err != nil {
		return nil, err
	}
	meta, _ := tree["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	for key := range annotations {
		if strings.HasPrefix(key, argocd.AnnotationPrefix) {
			delete(annotations, key)
		}
	}
	if annotations != nil && len(annotations) == 0 {
		delete(meta, "annotations")
	}
	if ready := table().Ready[need{o.Group(), o.Kind}.String()]; ready != nil {
		tree["status"] = json.RawMessage(source.AppendJSON(nil, ready))
	}
	return json.Marshal(tree)
}

// finish returns the policies with the objects that bind them to clusters.
func (w *policyWriter) finish() ([]manifest.Object, error) {
	all := make([]any, 0, len(w.policies)+len(w.extra))
	for _, o := range slices.Concat(w.policies, w.extra) {
		all = append(all, o)
	}
	return newObjects(append(all, w.bindings()...))
}
