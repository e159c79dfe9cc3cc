package fleet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// gateLevels are the levels of impact that `policy` accepts, mildest first: a milder one
// is a stricter gate, and none is no gate.
var gateLevels = []string{
	"metadata", "live", "migrate", "staged", "restart", "power", "recreate", "delete", "data-loss", "none",
}

// checkGate reports what a document takes away from the gate of those that it merges over.
func checkGate(below, over *source.Node, diags *source.Diagnostics) {
	for _, key := range []string{"approve", "maxImpact"} {
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
		if key == "approve" {
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
	for _, key := range []string{"approve", "maxImpact"} {
		if n := f.HeaderKey("policy", key); n.IsSet() {
			return n
		}
	}
	return nil
}
