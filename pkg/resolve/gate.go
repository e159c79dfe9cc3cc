package resolve

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// gate returns the gate of the VM, or nil if the fleet has none. It reports
// approvals without effect.
func (d *draft) gate() *machine.Gate {
	policy, stage := &d.site.Policy, values.IsTrue(d.vm.Stage)
	if stage && !d.traits.Pet {
		d.errorf(d.entry.At("stage"), rule.Approval, "stage",
			"is for pets, which nothing restarts; remove it, or use `lifecycle: pet`")
	}
	if stage && d.traits.Pet && d.vm.Maintenance != nil {
		stage = false
		d.diags.Warnf(d.entry.At("stage"), rule.NoEffect, d.entry.Path+".stage",
			"has no effect with `maintenance` at %s: its window restarts the VM, so that a restart needs its approval; "+
				"remove one of them", catalog.Where(d.entry.KeyAt("maintenance")))
	}
	approvals := d.approvals()
	if stage && !d.site.asksForApprovals {
		d.warnUnused("stage")
	}
	if policy.Gated() || d.site.holds {
		return &machine.Gate{
			Held:        d.site.held(d.namespace, d.name),
			ApproveFrom: policy.Approve, MaxImpact: policy.MaxImpact, Approvals: approvals, Stage: stage,
			Approved: d.site.approved, Whole: d.site.whole,
		}
	}
	if len(approvals) > 0 && !d.site.asksForApprovals {
		d.warnUnused("approve")
	}
	return nil
}

// approvedOf returns the tokens of a fleet's `policy.approved` that have their form; others are reported with the
// fleet. It warns of tokens without effect.
func approvedOf(f *fleet.Fleet, diags *source.Diagnostics) []machine.Approved {
	list := f.HeaderKey("policy", "approved")
	if list == nil {
		return nil
	}
	var out []machine.Approved
	for i, n := range list.Items {
		if t, err := approval.Parse(n.Text); err == nil {
			out = append(out, machine.Approved{Token: t, Path: source.IndexPath("policy.approved", i), Pos: n.Pos()})
		}
	}
	if len(out) > 0 && !f.Header.Policy.Gated() && !f.HeaderKey("policy", "approve").IsSet() && !f.Holds() {
		diags.Warnf(list.Pos(), rule.Approval, "policy.approved",
			"changes nothing: the fleet requires no approvals; remove it, or set `policy.approve`")
	}
	return out
}

// warnUnused warns of a key that has no effect in a fleet that asks for no approvals.
func (d *draft) warnUnused(key string) {
	d.diags.Warnf(d.entry.At(key), rule.Approval, d.entry.Path+"."+key,
		"changes nothing: the fleet requires no approvals; remove it, or set `policy.approve` in fleet.yaml")
}

// approvals returns the approvals of valid form.
func (d *draft) approvals() []machine.Approval {
	a := d.vm.Approve
	if a == nil {
		return nil
	}
	isShort := d.entry.Keys.Get("approve").Style == source.ShortForm
	var out []machine.Approval
	for _, one := range []struct{ risk, token string }{
		{"restart", a.Restart}, {"delete", a.Delete}, {"data", a.Data}, {"gate", a.Gate},
	} {
		if !values.IsToken(one.token) {
			continue // reported with its level, or not set
		}
		path := d.entry.Path + ".approve." + one.risk
		if isShort {
			path = d.entry.Path + ".approve"
		}
		out = append(out, machine.Approval{
			Risk: one.risk, Token: one.token, Path: path, Pos: d.entry.At("approve", one.risk),
		})
	}
	return out
}
