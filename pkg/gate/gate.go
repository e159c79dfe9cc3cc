package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Risk is what an approval is for. No risk covers another.
type Risk string

// The risks, as tokens of several VMs write them.
const (
	RiskRestart Risk = "restart"         // from live to power
	RiskDelete  Risk = "delete"          // recreate and delete
	RiskData    Risk = approval.RiskData // data-loss
	RiskGate    Risk = "gate"            // a gate that becomes less strict
)

// RiskOf returns the risk of a level, or "" for one that no gate checks: what touches no
// VM, what the cluster refuses anyway, and what platforms do to nodes.
func RiskOf(l impact.Level) Risk {
	switch {
	case l >= impact.Live && l <= impact.Power:
		return RiskRestart
	case l == impact.Recreate || l == impact.Delete:
		return RiskDelete
	case l == impact.DataLoss:
		return RiskData
	}
	return ""
}

// Gate is the result of the fleet's policy for the change of a VM. The annotations of
// both sides decide, the stricter of the two: so no commit can take the gate away and use
// that immediately.
type Gate struct {
	// From is the level from which the change needs approvals; None if it needs none.
	From impact.Level
	// Max is the highest level that is allowed, approved or not; None for no limit.
	Max impact.Level
	// Token names the change, FROM-TO: the token of an approval of any risk. It is empty
	// for a VM that goes, or whose new side has no gate.
	Token string
	// Exceeds is the worst level above Max, or None.
	Exceeds impact.Level
	// Approvals are those that the change needs, by risk: restart, delete, data, gate.
	Approvals []Approval
	// Removal is about a VM that goes with its entry, which no token can approve.
	Removal Removal
	// Staged are the keys or paths of what needs a restart, and is left for the next start
	// because the entry allows it. It needs no approval.
	Staged []string
}

// Approval is one approval that a change needs.
type Approval struct {
	Risk Risk
	// Level is the worst of the risk.
	Level impact.Level
	// Token is what the entry must contain: FROM-TO. It is empty if no token can approve
	// the change; Problem explains why.
	Token   string
	Problem string
	State   ApprovalState
}

// ApprovalState is the state of an approval.
type ApprovalState string

// The states of approvals.
const (
	Given   ApprovalState = "given"
	Missing ApprovalState = "missing"
	// Stale is an approval of the risk that was given for another change.
	Stale ApprovalState = "stale"
)

// Removal is the state of the approval to remove a VM with its entry.
type Removal string

// The states of removals. Empty for a VM that stays.
const (
	// RemovalApproved is that of `lifecycle: {removal: approved}` in an earlier commit, or
	// `confirm`, with which Argo CD asks.
	RemovalApproved Removal = "approved"
	RemovalMissing  Removal = "missing"
)

// The codes of what a gate reports, next to those of causes.
const (
	CodeApproved     impact.Code = "approved"
	CodeMissing      impact.Code = "approval-missing"
	CodeStale        impact.Code = "approval-stale"
	CodeUnapprovable impact.Code = "approval-impossible"
	CodeCeiling      impact.Code = "above-ceiling"
	CodeLimit        impact.Code = "above-limit"
	CodeRemoval      impact.Code = "removal-missing"
	CodeStage        impact.Code = "staged"
	CodeHeld         impact.Code = "held"
	CodeNotHeld      impact.Code = "not-held"
)

// Blocked reports whether the sync must not happen as it is.
func (g *Gate) Blocked() bool {
	return g != nil && (g.Exceeds > impact.None || g.Removal == RemovalMissing ||
		slices.ContainsFunc(g.Approvals, func(a Approval) bool { return a.State != Given }))
}

// Line returns the line for the entry of the VM that gives all approvals, such as
// "approve: {restart: FROM-TO, data: FROM-TO}". It is empty if they
// are given, or if none can be.
func (g *Gate) Line() string {
	var words []string
	open := false
	for _, a := range g.Approvals {
		if a.Token != "" {
			words = append(words, string(a.Risk)+": "+a.Token)
			open = open || a.State != Given
		}
	}
	switch {
	case !open:
		return ""
	case len(words) == 1 && strings.HasPrefix(words[0], string(RiskRestart)):
		return "approve: " + strings.TrimPrefix(words[0], string(RiskRestart)+": ")
	}
	return "approve: {" + strings.Join(words, ", ") + "}"
}

// stricter returns the milder of two levels; None means no limit.
func stricter(a, b impact.Level) impact.Level {
	if a == impact.None || b == impact.None {
		return max(a, b)
	}
	return min(a, b)
}

// judged returns the level of a cause for a gate: the worse one if the cluster's
// policies cannot determine whether the VM migrates, or runs at all.
func judged(c *impact.Cause) impact.Level {
	if RiskOf(c.Worst) != "" {
		return max(c.Level, c.Worst)
	}
	return c.Level
}

// isJudged reports whether a gate judges a cause with a risk. own is whether the VM itself changes.
func isJudged(c *impact.Cause, r Risk, own bool) bool {
	return r != "" && (r != RiskRestart || own || c.Acts)
}

// need is what a change needs an approval for.
type need struct {
	worst impact.Level
	own   bool // whether the VM itself changes, and not only its disks
}

// Judge returns the judgment on the change of a VM by its causes, or nil if no side has a gate. isOwn reports whether a
// cause is about the VM itself: of its disks and Secrets, a gate checks only what deletes them; of objects that act on
// the VM, everything.
func Judge(old, now manifest.Tree, causes []impact.Cause, isOwn func(*impact.Cause) bool) *Gate {
	g := &Gate{
		From: stricter(impact.Limit(old, labels.ApproveFrom), impact.Limit(now, labels.ApproveFrom)),
		Max:  stricter(impact.Limit(old, labels.MaxImpact), impact.Limit(now, labels.MaxImpact)),
	}
	if g.From == impact.None && g.Max == impact.None {
		return nil
	}
	needs := g.needs(cluster.Annotation(now, labels.Stage) == "true", causes, isOwn)
	if now == nil {
		g.judgeRemoval(old, len(needs) > 0)
		return g
	}
	if impact.Weakens(old, now, labels.ApproveFrom) || impact.Weakens(old, now, labels.MaxImpact) {
		needs[RiskGate] = need{impact.Metadata, true}
	}
	g.approve(old, now, needs)
	return g
}

// Hold returns what releases the change of a VM that a fleet holds from a level on, or nil if nothing of the change
// reaches the level. What the VM takes at a restart of its own, in its maintenance window or at its next start, is not
// held.
func Hold(level impact.Level, old, now manifest.Tree, causes []impact.Cause, isOwn func(*impact.Cause) bool) *Gate {
	g := &Gate{From: level}
	waits := cluster.Annotation(now, labels.Stage) == "true" || cluster.Annotation(now, labels.Maintenance) != ""
	needs := g.needs(waits, causes, isOwn)
	switch {
	case len(needs) == 0:
		return nil
	case now == nil:
		g.judgeRemoval(old, true)
	default:
		g.approve(old, now, needs)
	}
	return g
}

// approve sets the approvals that a change needs.
func (g *Gate) approve(old, now manifest.Tree, needs map[Risk]need) {
	g.Token = token(old, now)
	for _, risk := range approval.Risks() {
		r := Risk(risk)
		if n, ok := needs[r]; ok {
			g.Approvals = append(g.Approvals, g.approval(old, now, r, n))
		}
	}
}

// needs returns what needs an approval, by risk, and sets what exceeds the maximum and what is left for the next start.
// stage is whether a restart is.
func (g *Gate) needs(stage bool, causes []impact.Cause, isOwn func(*impact.Cause) bool) map[Risk]need {
	needs := map[Risk]need{}
	for i := range causes {
		c := &causes[i]
		level := judged(c)
		r, own := RiskOf(level), isOwn(c)
		if !isJudged(c, r, own) {
			continue
		}
		if g.Max > impact.None && level > g.Max {
			g.Exceeds = max(g.Exceeds, level)
		}
		switch {
		case g.From == impact.None || level < g.From:
		case stage && level == impact.Restart && (c.Level == impact.Restart || c.Level < g.From):
			g.Staged = append(g.Staged, cmp.Or(c.Key, c.Path))
		default:
			needs[r] = need{max(needs[r].worst, level), needs[r].own || own}
		}
	}
	slices.Sort(g.Staged)
	g.Staged = slices.Compact(g.Staged)
	return needs
}

// judgeRemoval sets whether the removal of a VM is approved. Argo CD reads from the
// object that is there whether it may delete it, so an earlier commit must have allowed it.
func (g *Gate) judgeRemoval(old manifest.Tree, isJudged bool) {
	switch prune := cluster.SyncOption(old, "Prune"); {
	case !isJudged:
	case prune == "true" || prune == "confirm":
		g.Removal = RemovalApproved
	default:
		g.Removal = RemovalMissing
	}
}

// token returns what names the change from one side to the other.
func token(old, now manifest.Tree) string {
	to := cluster.Annotation(now, labels.Becomes)
	if to == "" {
		return ""
	}
	return cmp.Or(cluster.Annotation(old, labels.Becomes), labels.NoBecomes) + "-" + to
}

// approval returns the approval that a change needs for a risk.
func (g *Gate) approval(old, now manifest.Tree, r Risk, n need) Approval {
	a := Approval{Risk: r, Level: n.worst, State: Missing}
	switch {
	case g.Token == "":
		a.Problem = "the commit removes the fleet's gate, so that nothing can name the change: " +
			"first set `policy: {approve: none}`, which an approval can name, and remove it in a later commit"
		return a
	case !n.own && cluster.Annotation(old, labels.Becomes) == cluster.Annotation(now, labels.Becomes):
		a.Problem = "the VM itself stays as it is, so that no approval can name the change: " +
			"change the VM in the same commit"
		return a
	}
	a.Token = g.Token
	switch tokenOf(now, r) {
	case "":
	case a.Token:
		a.State = Given
	default:
		a.State = Stale
	}
	return a
}

// tokenOf returns the token that a side contains for a risk, or "".
func tokenOf(side manifest.Tree, r Risk) string {
	for one := range strings.SplitSeq(cluster.Annotation(side, labels.Approved), ",") {
		if risk, token, _ := strings.Cut(one, "="); risk == string(r) {
			return token
		}
	}
	return ""
}
