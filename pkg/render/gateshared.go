package render

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// byRisk are approvals, FROM-TO, by risk.
type byRisk map[string]string

// share adds the approvals of the fleet's tokens to the VMs that they list, and warns of tokens that approve nothing:
// a token counts for all of its VMs or, if one of them becomes something else or is gone, for none. If a part of the
// fleet is rendered, the VMs of the rest are not judged. All entries must be settled.
func (g *gates) share(vms []Rendered, diags *source.Diagnostics) {
	gate := g.ofFleet()
	if gate == nil || len(gate.Approved) == 0 {
		return
	}
	becoming := make(map[approval.VM]*Rendered, len(vms))
	for i := range vms {
		if r := &vms[i]; r.becomes != nil {
			becoming[approval.VMOf(r.Namespace, r.guarded, r.becomes.digest)] = r
		}
	}
	for i := range gate.Approved {
		token := &gate.Approved[i]
		if found := countFound(token, becoming); found == len(token.Changes) || !gate.Whole {
			give(token, becoming)
		} else if !diags.HasErrors() { // or VMs may be missing
			warnStale(token, found, diags)
		}
	}
}

// ofFleet returns the gate of one of the VMs, or nil: what it has from the fleet is the same for all.
func (g *gates) ofFleet() *machine.Gate {
	for _, entry := range g.entries {
		return entry.gate
	}
	return nil
}

// countFound returns how many of a token's VMs become what it approves.
func countFound(token *machine.Approved, becoming map[approval.VM]*Rendered) int {
	n := 0
	for _, c := range token.Changes {
		if becoming[c.VM] != nil {
			n++
		}
	}
	return n
}

// give adds the approvals of a token. A later token counts more than an earlier one, and the approval in a VM's own
// entry more than both, unless it is for something else.
func give(token *machine.Approved, becoming map[approval.VM]*Rendered) {
	for _, c := range token.Changes {
		r := becoming[c.VM]
		if r == nil {
			continue
		}
		for _, risk := range token.Risks {
			if r.becomes.approves(risk) {
				continue
			}
			if r.shared == nil {
				r.shared = byRisk{}
			}
			r.shared[risk] = c.From + "-" + r.becomes.digest
		}
	}
}

// approves reports whether the entry itself approves what its VMs become.
func (b *becomes) approves(risk string) bool {
	for i := range b.gate.Approvals {
		if a := &b.gate.Approvals[i]; a.Risk == risk {
			return a.To() == b.digest
		}
	}
	return false
}

func warnStale(token *machine.Approved, found int, diags *source.Diagnostics) {
	all := len(token.Changes)
	diags.Warnf(token.Pos, rule.Approval, token.Path,
		"a used or stale approval, %q, of %d VMs, of which %d become something else or are gone, so that it approves "+
			"none of them; remove it, or set the token that `vmrender plan` prints", token.Name(), all, all-found)
}

// approvedText returns the approvals of a VM as in its annotation: its own, and over them the shared ones.
func approvedText(g *machine.Gate, over byRisk) string {
	if len(g.Approvals)+len(over) == 0 {
		return ""
	}
	tokens := map[string]string{}
	for _, a := range g.Approvals {
		tokens[a.Risk] = a.Token
	}
	var out []string
	for _, risk := range approval.Risks() {
		token := over[risk]
		if token == "" {
			token = tokens[risk]
		}
		if token != "" {
			out = append(out, risk+"="+token)
		}
	}
	return strings.Join(out, ",")
}

// approvedField returns the annotation with the approvals of a VM in JSON, with the comma after it, or "" if it has
// none.
func approvedField(g *machine.Gate, over byRisk) string {
	text := approvedText(g, over)
	if text == "" {
		return ""
	}
	return `"` + labels.Approved + `":"` + text + `",`
}
