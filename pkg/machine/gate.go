package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Gate contains the limits for a change of the VM, and its approvals.
type Gate struct {
	ApproveFrom string     // level of impact; empty if no change needs an approval
	MaxImpact   string     // level of impact; empty if every level is allowed
	Approvals   []Approval // by risk: restart, delete, data, gate
	Stage       bool       // whether a change that needs a restart is left for the next start
	// Approved are the tokens of the fleet's `policy.approved`, in order, which all VMs share.
	Approved []Approved
	// Held is the file that holds the VM, or nil.
	Held *held.File
	// Whole is true if all VMs of the fleet are rendered, so that a VM of a token that is not among them is gone.
	Whole bool
}

// Approved is a token of `policy.approved`, as written.
type Approved struct {
	approval.Token
	Path string // such as "policy.approved[0]"
	Pos  source.Pos
}

// Approval is one approval, as written.
type Approval struct {
	Risk  string // restart, delete, data or gate
	Token string // FROM-TO
	Path  string // such as "vms.web01.approve.restart"
	Pos   source.Pos
}

// To returns the digest of what the approval is for.
func (a *Approval) To() string {
	_, to, _ := strings.Cut(a.Token, "-")
	return to
}

// Digest returns the digest of what the VMs of an entry become, of which tokens consist: 32 hexadecimal digits, which
// differ if the texts or the limits of the gate differ. It is cut from SHA-256: no two changes with one token can
// be found.
func (g *Gate) Digest(texts ...string) string {
	h := sha256.New()
	for _, s := range append(texts, g.ApproveFrom, g.MaxImpact) {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// gate returns the gate of the VM, or nil if the fleet has none. It reports
// approvals without effect.
func (d *draft) gate() *Gate {
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
		return &Gate{
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
func approvedOf(f *fleet.Fleet, diags *source.Diagnostics) []Approved {
	list := f.HeaderKey("policy", "approved")
	if list == nil {
		return nil
	}
	var out []Approved
	for i, n := range list.Items {
		if t, err := approval.Parse(n.Text); err == nil {
			out = append(out, Approved{t, source.IndexPath("policy.approved", i), n.Pos()})
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
func (d *draft) approvals() []Approval {
	a := d.vm.Approve
	if a == nil {
		return nil
	}
	isShort := d.entry.Keys.Get("approve").Style == source.ShortForm
	var out []Approval
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
		out = append(out, Approval{one.risk, one.token, path, d.entry.At("approve", one.risk)})
	}
	return out
}

// deletesUnseen reports whether the strategy deletes the VM before the cluster can compare
// what it becomes with an approval.
func (d *draft) deletesUnseen() bool { return d.traits.AwaitsDeletion || d.traits.NamedByContent }

// checkUnseen reports a strategy that passes the fleet's gate unseen, unless the VM sets
// that it may be removed.
func (d *draft) checkUnseen(lc *Lifecycle) {
	if !d.site.Policy.Asks() || !d.deletesUnseen() || lc.Removal == values.Approved {
		return
	}
	d.errorf(d.entry.At("lifecycle", "strategy"), rule.Gate, "lifecycle.strategy",
		"%q deletes the VM before the cluster sees what it becomes, and `policy.approve` requires approvals; "+
			"set `removal: approved`, or use another strategy", string(d.strategy))
}
