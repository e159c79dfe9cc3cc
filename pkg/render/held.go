package render

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// holding is a VM that may be held by a file, or whose restore may be approved. Whether it is, is known when all VMs of
// its entry are.
type holding struct {
	*machine.Machine
	objects []runtime.Object // of the VM as the values files have it
	content string
}

// settleHeld decides which VMs are held, and which restores are approved, and adds what it has of them to the Jobs and
// the checks. All approvals must be settled.
func (c *Collector) settleHeld(diags *source.Diagnostics) {
	for _, i := range slices.Sorted(maps.Keys(c.holdings)) {
		h, r := c.holdings[i], &c.rendered[i]
		if h.Lifecycle.Restores() {
			h.approve(r.approvedFrom(approval.RiskData))
		}
		if h.Gate.Held != nil {
			c.settleFile(h, r, diags)
		}
		c.jobs.add(h.Machine, h.objects, h.content)
		c.note(i, h.Machine, h.objects)
	}
}

// settleFile decides whether the file of a VM holds it.
func (c *Collector) settleFile(h *holding, r *Rendered, diags *source.Diagnostics) {
	if why := r.releasedBy(h.Gate.Held); why != "" {
		h.warn(diags, "no longer holds the VM %s/%s, "+why+"; run `vmrender hold`, which removes the file")
		return
	}
	if _, to := h.Gate.Held.Ends(); to != r.becomes.digest {
		h.warn(diags, "holds the VM %s/%s, whose change is another one now; run `vmrender hold`, which updates the file")
	}
	c.hold(h, r, diags)
}

// approve notes from what the restore of the VM is approved: the Job runs before the API server sees the VM, so that it
// has to compare.
func (h *holding) approve(from string) {
	approved, restore := *h.Machine, *h.Lifecycle.RestoreFrom
	restore.From = from
	approved.Lifecycle.RestoreFrom = &restore
	h.Machine = &approved
}

// approvedFrom returns the digest of what the VM is, from which a risk of what it becomes is approved, or "".
func (r *Rendered) approvedFrom(risk string) string {
	given := r.shared[risk]
	for i := range r.becomes.gate.Approvals {
		if a := &r.becomes.gate.Approvals[i]; a.Risk == risk && a.To() == r.becomes.digest {
			given = a.Token
		}
	}
	from, _, _ := strings.Cut(given, "-")
	return from
}

// warn adds a warning about the file, unless VMs may be missing.
func (h *holding) warn(diags *source.Diagnostics, text string) {
	if !diags.HasErrors() {
		diags.Warnf(h.Gate.Held.Pos(), rule.Held, "", text, h.Namespace, h.Name)
	}
}

// releasedBy returns why a file does not hold the VM, or "" if it does: what releases it is an approval of exactly the
// change that the file is about, for all of its risks.
func (r *Rendered) releasedBy(file *held.File) string {
	from, to := file.Ends()
	switch {
	case from == r.becomes.digest:
		return "which is again what it was"
	case to != r.becomes.digest:
		return ""
	}
	_, given := held.Split(labels.Held + " " + approvedText(r.becomes.gate, r.shared))
	for _, a := range file.Approvals {
		if !slices.Contains(given, a) {
			return ""
		}
	}
	return "whose change is approved"
}

// hold replaces what is rendered of a VM by what its file holds.
func (c *Collector) hold(h *holding, r *Rendered, diags *source.Diagnostics) {
	file := h.Gate.Held
	for _, key := range []string{argocd.SyncWaveAnnotation, labels.Wave} {
		if wave, err := strconv.Atoi(file.MachineAnnotation(key)); err == nil {
			c.jobs.last = max(c.jobs.last, wave)
		}
	}
	h.objects, h.content = h.held(), file.MachineAnnotation(labels.Content)
	asItWas := *h.Machine
	// What loses data, or stops and starts the VM, is held with it.
	asItWas.Lifecycle.RestoreFrom = nil
	asItWas.Lifecycle.Power = machine.ParsePower(file.MachineAnnotation(labels.Power))
	h.Machine = &asItWas
	text, err := c.encode(h.objects, nil)
	defer c.encoding.Put(text)
	if err != nil {
		diags.Errorf(file.Pos(), rule.Encode, "", "the objects cannot be written: %s", err)
		return
	}
	r.text, r.becomes, r.shared = c.keep(*text), nil, nil
}

// held returns the objects of a held VM: those of its file, after the Secrets and before the Services that the values
// files have.
func (h *holding) held() []runtime.Object {
	var before, after []runtime.Object
	for _, o := range h.objects {
		kind := o.GetObjectKind().GroupVersionKind()
		switch {
		case held.Holds(kind.Group, kind.Kind):
		case kind.Kind == "Secret" && len(after) == 0:
			before = append(before, o)
		default:
			after = append(after, o)
		}
	}
	for _, m := range h.Gate.Held.Manifests {
		if held.IsMachine(m) {
			m = held.Annotated(m, labels.Held, h.Gate.Held.Annotation())
			m = held.Relabeled(m, labels.Rollout, h.Part) // which depends on the Application that renders it
		}
		kind := metav1.TypeMeta{APIVersion: m.Get("apiVersion").Str(), Kind: m.Get("kind").Str()}
		before = append(before, &writtenObject{kind, m})
	}
	return append(before, after...)
}

// CountHeld returns the number of VMs that are rendered as they are held.
func CountHeld(rendered []Rendered) int {
	n := 0
	for i := range rendered {
		if !rendered[i].Jobs && bytes.Contains(rendered[i].text, []byte(`"`+labels.Held+`":"`)) {
			n++
		}
	}
	return n
}
