package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Risk is what an approval is for. No risk covers another.
type Risk string

// The risks, in the order in which approvals are written.
const (
	RiskRestart Risk = "restart" // from live to power
	RiskDelete  Risk = "delete"  // recreate and delete
	RiskData    Risk = "data"    // data-loss
	RiskGate    Risk = "gate"    // a gate that becomes less strict
)

var risks = []Risk{RiskRestart, RiskDelete, RiskData, RiskGate}

// Risk returns the risk of a level, or "" for one that no gate checks: what touches no
// VM, what the cluster refuses anyway, and what platforms do to nodes.
func (l Level) Risk() Risk {
	switch {
	case l >= Live && l <= Power:
		return RiskRestart
	case l == Recreate || l == Delete:
		return RiskDelete
	case l == DataLoss:
		return RiskData
	}
	return ""
}

// Gate is the result of the fleet's policy for the change of a VM. The annotations of
// both sides decide, the stricter of the two: so no commit can take the gate away and use
// that immediately.
type Gate struct {
	// From is the level from which the change needs approvals; None if it needs none.
	From Level
	// Max is the highest level that is allowed, approved or not; None for no limit.
	Max Level
	// Token names the change, FROM-TO: the token of an approval of any risk. It is empty
	// for a VM that goes, or whose new side has no gate.
	Token string
	// Exceeds is the worst level above Max, or None.
	Exceeds Level
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
	Level Level
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
	CodeApproved     Code = "approved"
	CodeMissing      Code = "approval-missing"
	CodeStale        Code = "approval-stale"
	CodeUnapprovable Code = "approval-impossible"
	CodeCeiling      Code = "above-ceiling"
	CodeRemoval      Code = "removal-missing"
	CodeStage        Code = "staged"
)

// Blocked reports whether the sync must not happen as it is.
func (g *Gate) Blocked() bool {
	return g != nil && (g.Exceeds > None || g.Removal == RemovalMissing ||
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

// gate returns the judgment on a VM, or nil if nothing happens to it, or if no side
// has a gate.
func (p *planner) gate(pair *pair, s *subject, v *Verdict) *Gate {
	old := p.former(pair, s)
	if old == nil || v.Level == None {
		return nil
	}
	g := &Gate{
		From: stricter(limit(old, labels.ApproveFrom), limit(s.new, labels.ApproveFrom)),
		Max:  stricter(limit(old, labels.MaxImpact), limit(s.new, labels.MaxImpact)),
	}
	if g.From == None && g.Max == None {
		return nil
	}
	g.judge(old, s.new, v)
	return g
}

// former returns what a VM is before the sync: in the cluster, if that is known, or
// else in Git. It returns nil for a new VM.
func (p *planner) former(pair *pair, s *subject) tree {
	if was := p.predecessors[pair]; was != nil {
		s = p.subject(was)
	}
	if s.inCluster != nil {
		return s.inCluster
	}
	return s.old
}

// limit returns the level in an annotation of one side, or None.
func limit(side tree, key string) Level {
	i := slices.Index(levelNames, annotation(side, key))
	return Level(max(i, 0)) //nolint:gosec // one of the levels
}

// weakens reports whether a limit of a VM lets more changes pass than before, or is gone.
func weakens(old, now tree, key string) bool {
	before, after := limit(old, key), limit(now, key)
	return before > None && (after == None || after > before)
}

// stricter returns the milder of two levels; None means no limit.
func stricter(a, b Level) Level {
	if a == None || b == None {
		return max(a, b)
	}
	return min(a, b)
}

// isLinked reports whether a cause is about another object than the VM.
func (c *Cause) isLinked(v *Verdict) bool {
	return c.Object != (manifest.ID{}) && c.Object != v.ID && (v.Was == nil || c.Object != *v.Was)
}

// judged returns the level of a cause for a gate: the worse one if the cluster's
// policies cannot determine whether the VM migrates, or runs at all.
func (c *Cause) judged() Level {
	if c.worst.Risk() != "" {
		return max(c.Level, c.worst)
	}
	return c.Level
}

// isJudged reports whether a gate judges a cause with a risk. own is whether the VM itself changes.
func (c *Cause) isJudged(r Risk, own bool) bool {
	return r != "" && (r != RiskRestart || own || c.acts)
}

// need is what a change needs an approval for.
type need struct {
	worst Level
	own   bool // whether the VM itself changes, and not only its disks
}

// judge sets the gate's part of a verdict. Of the VM's disks and Secrets, it
// checks only what deletes them; of objects that act on the VM, everything.
func (g *Gate) judge(old, now tree, v *Verdict) {
	stage := annotation(now, labels.Stage) == "true"
	needs := map[Risk]need{}
	for i := range v.Causes {
		c := &v.Causes[i]
		level := c.judged()
		r, own := level.Risk(), !c.isLinked(v)
		if !c.isJudged(r, own) {
			continue
		}
		if g.Max > None && level > g.Max {
			g.Exceeds = max(g.Exceeds, level)
		}
		switch {
		case g.From == None || level < g.From:
		case stage && level == Restart && (c.Level == Restart || c.Level < g.From):
			g.Staged = append(g.Staged, cmp.Or(c.Key, c.Path))
		default:
			needs[r] = need{max(needs[r].worst, level), needs[r].own || own}
		}
	}
	slices.Sort(g.Staged)
	g.Staged = slices.Compact(g.Staged)
	if now == nil {
		g.judgeRemoval(old, len(needs) > 0)
		return
	}
	if weakens(old, now, labels.ApproveFrom) || weakens(old, now, labels.MaxImpact) {
		needs[RiskGate] = need{Metadata, true}
	}
	g.Token = token(old, now)
	for _, r := range risks {
		if n, ok := needs[r]; ok {
			g.Approvals = append(g.Approvals, g.approval(old, now, r, n))
		}
	}
}

// judgeRemoval sets whether the removal of a VM is approved. Argo CD reads from the
// object that is there whether it may delete it, so an earlier commit must have allowed it.
func (g *Gate) judgeRemoval(old tree, isJudged bool) {
	switch prune := syncOption(old, "Prune"); {
	case !isJudged:
	case prune == "true" || prune == "confirm":
		g.Removal = RemovalApproved
	default:
		g.Removal = RemovalMissing
	}
}

// token returns what names the change from one side to the other.
func token(old, now tree) string {
	to := annotation(now, labels.Becomes)
	if to == "" {
		return ""
	}
	return cmp.Or(annotation(old, labels.Becomes), labels.NoBecomes) + "-" + to
}

// approval returns the approval that a change needs for a risk.
func (g *Gate) approval(old, now tree, r Risk, n need) Approval {
	a := Approval{Risk: r, Level: n.worst, State: Missing}
	switch {
	case g.Token == "":
		a.Problem = "the commit removes the fleet's gate, so that nothing can name the change: " +
			"first set `policy: {approve: none}`, which an approval can name, and remove it in a later commit"
		return a
	case !n.own && annotation(old, labels.Becomes) == annotation(now, labels.Becomes):
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
func tokenOf(side tree, r Risk) string {
	for one := range strings.SplitSeq(annotation(side, labels.Approved), ",") {
		if risk, token, _ := strings.Cut(one, "="); risk == string(r) {
			return token
		}
	}
	return ""
}
