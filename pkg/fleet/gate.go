package fleet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// gateLevels are the levels of impact that `policy` accepts, mildest first: a milder one
// is a stricter gate, and none is no gate.
var gateLevels = []string{
	"metadata", "live", "migrate", "staged", "restart", "power", "recreate", "delete", "data-loss", "none",
}

// checkGate reports what a document takes away from the gate of those that it merges over.
func checkGate(below, over *source.Node, diags *source.Diagnostics) {
	for _, key := range []string{"approve", "maxImpact", "hold"} {
		was, now := below.Get("policy", key), over.Field("policy")
		if now != nil && now.Value.Kind == source.Map {
			now = now.Value.Field(key)
		}
		if !was.IsSet() || now == nil || !isWeaker(now.Value, was) {
			continue
		}
		value := "null"
		if now.Value.IsSet() {
			value = strconv.Quote(now.Value.Text)
		}
		accepted := gateLevels[:slices.Index(gateLevels, was.Text)+1]
		if key != "maxImpact" {
			accepted = accepted[1:]
		}
		diags.Errorf(now.Value.Pos(), rule.Gate, source.JoinPath("policy", key),
			"%s is less strict than %q at %s, which an overlay can only make stricter; accepted: %s",
			value, was.Text, was.Pos(), strings.Join(accepted, ", "))
	}
}

// checkPermitted reports kinds of objects that an overlay permits and those below it do not. below is nil for
// fleet.yaml.
func checkPermitted(below, over *source.Node, diags *source.Diagnostics) {
	list := over.Get("policy", "objects")
	if below == nil || list == nil {
		return
	}
	permitted := func(kind string) bool {
		was := below.Get("policy", "objects")
		return was != nil && slices.ContainsFunc(was.Items, func(n *source.Node) bool { return n.Text == kind })
	}
	for i, n := range list.Items {
		if !permitted(n.Text) {
			diags.Errorf(n.Pos(), rule.ObjectKind, source.IndexPath("policy.objects", i),
				"an overlay cannot permit %q, which fleet.yaml does not; remove it", n.Text)
		}
	}
}

// checkLimits reports what an overlay takes away from the limits of those that it merges over. below is nil for
// fleet.yaml.
func checkLimits(below, over *source.Node, diags *source.Diagnostics) {
	was := below.Get("policy", "limits")
	for _, key := range values.LimitKeys() {
		bound, now := was.Get(key), nearest(over, "policy", "limits", key)
		if !bound.IsSet() || now == nil || !raises(now.Value, bound) {
			continue
		}
		value := "null"
		if now.Value.IsSet() {
			value = now.Value.Text
		}
		diags.Errorf(now.Value.Pos(), rule.Gate, source.JoinPath("policy.limits", key),
			"%s is less strict than %s at %s, which an overlay can only lower", value, bound.Text, bound.Pos())
	}
}

// nearest returns the field under keys, or the one above it that is null; nil if neither is there.
func nearest(n *source.Node, keys ...string) *source.Field {
	var field *source.Field
	for _, key := range keys {
		field = n.Field(key)
		if field == nil || field.Value.Kind == source.Null {
			break
		}
		n = field.Value
	}
	return field
}

// raises reports whether a limit is higher than another one, or gone. What is no number is reported elsewhere.
func raises(now, was *source.Node) bool {
	if !now.IsSet() {
		return true
	}
	before, err := strconv.Atoi(was.Text)
	after, err2 := strconv.Atoi(now.Text)
	return err == nil && err2 == nil && after > before
}

// checkApproved reports what is not a token in a document's list of approvals.
func checkApproved(doc *source.Node, diags *source.Diagnostics) {
	list := doc.Get("policy", "approved")
	if list == nil || list.Kind != source.List {
		return
	}
	for i, n := range list.Items {
		if n.Kind != source.String {
			continue // reported with its type
		}
		_, err := approval.Parse(n.Text)
		switch at := source.IndexPath("policy.approved", i); {
		case err == nil:
		case values.IsToken(n.Text):
			diags.Errorf(n.Pos(), rule.Approval, at,
				"%q approves the change of one VM; write it as `approve` in the entry of the VM", n.Text)
		default:
			diags.Errorf(n.Pos(), rule.Approval, at,
				"invalid approval %q: %s; expected a token that `vmrender plan` prints for `policy.approved`",
				shortened(n.Text), err)
		}
	}
}

// shortened returns the beginning of a text that may be long.
func shortened(text string) string {
	const most = 50
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// isWeaker reports whether a level lets more changes pass than another one.
func isWeaker(now, was *source.Node) bool {
	limit := slices.Index(gateLevels, was.Text)
	return limit >= 0 && (!now.IsSet() || slices.Index(gateLevels, now.Text) > limit)
}

// ownKeys are the keys that decide what passes a gate, so that each VM has them for itself.
var ownKeys = [][]string{{"stage"}, {"lifecycle", "removal"}, {"lifecycle", "protection"}}

// checkShared reports keys that are for one VM in what many VMs inherit: approvals, and in a fleet with a gate what
// passes it.
func (f *Fleet) checkShared(keys *source.Node, path string, diags *source.Diagnostics) {
	if field := keys.Field("approve"); field != nil && field.Value.IsSet() {
		diags.Errorf(field.Pos(), rule.Approval, source.JoinPath(path, "approve"),
			"an approval is for one VM; write it where the VM is, under `vms`")
	}
	if field := keys.Field("restoreFrom"); field != nil && field.Value.IsSet() {
		diags.Errorf(field.Pos(), rule.Conflict, source.JoinPath(path, "restoreFrom"),
			"a snapshot is of one VM; write it where the VM is, under `vms`")
	}
	gate := f.gate()
	if gate == nil {
		return
	}
	for _, own := range ownKeys {
		if n := keys.Get(own...); n.IsSet() {
			at := path
			for _, key := range own {
				at = source.JoinPath(at, key)
			}
			diags.Errorf(n.Pos(), rule.Gate, at,
				"%q is for one VM in a fleet with a gate, which is %q at %s; write it where the VM is, under `vms`",
				n.Text, gate.Text, gate.Pos())
		}
	}
}

// gate returns the level of the fleet's gate, or nil if it has none.
func (f *Fleet) gate() *source.Node {
	for _, key := range []string{"approve", "maxImpact", "hold"} {
		if n := f.HeaderKey("policy", key); n.IsSet() {
			return n
		}
	}
	return nil
}
