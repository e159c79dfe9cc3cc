package impact_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/versions"
)

// elsewhere lists the topics whose rules are about other objects, or about vmrender itself.
var elsewhere = []string{
	"The gate of a fleet", "Pools", "DataVolumes and claims", "Migrations from vSphere", "Effects on nodes and on all VMs",
	"Networks of nodes", "Applications", "The platform", "Objects that act on VMs", "Other objects",
}

// aJobReads is the reason of an annotation that means nothing to KubeVirt.
const aJobReads = "no controller of KubeVirt reads it, but vmrender's Job"

// unreached lists the rules that no case can reach, by their paths and reasons.
var unreached = map[string]string{
	"spec.dataVolumeTemplates[*].**: the disk stays, and does not belong to the VM in the cluster": "the disks of the judge's VMs belong to them",
	"spec.runStrategy: KubeVirt starts a VM that waits for another to migrate into it":             "it needs a second cluster, which the judge has not",
	"spec.runStrategy: KubeVirt refuses it without feature gate DecentralizedLiveMigration, " +
		"and no VM that runs can wait for another": "it needs a second cluster, which the judge has not",
	`metadata.annotations."vmrender.io/keep-old": the Job of the rollout deletes the old root disks beyond this number, ` +
		"which are the way back": aJobReads,
	`metadata.annotations."vmrender.io/power": a CronJob stops or starts it at these times; the sync itself does neither`: aJobReads,
	`metadata.annotations."vmrender.io/power": no CronJob stops or starts it any longer; ` +
		"with run strategy Manual, it stays off if it is": aJobReads,
	`metadata.annotations."kustomize.toolkit.fluxcd.io/prune": Flux will delete it when it is no longer in Git, ` +
		"or with its Kustomization": "no controller of KubeVirt reads it, but Flux, and the judge's VMs are Argo CD's",
	`metadata.annotations."vmrender.io/patch": a CronJob runs Ansible in the guest at these times, which may restart it; ` +
		"the sync itself does not": aJobReads,
	`metadata.annotations."vmrender.io/patch": no CronJob runs Ansible in the guest any longer`: aJobReads,
	`metadata.annotations."vmrender.io/restore": a Job stops the VM and puts the disks of a snapshot in place of its own: ` +
		"what was written since is lost": aJobReads,
	`metadata.annotations."vmrender.io/restore": without a token, nothing is restored`: aJobReads,
	"spec.*.**: no running VM sees it":                                                 "no field is left for it",
	"*.**: no running VM sees it":                                                      "no field is left for it",
}

// reached has the causes that appeared in plans.
type reached map[impact.Code][]impact.Cause

func (r reached) add(verdicts map[string]plan.Verdict) {
	for _, v := range verdicts {
		for _, c := range v.Causes {
			known := slices.ContainsFunc(r[c.Code], func(k impact.Cause) bool { return k.Path == c.Path && k.Reason == c.Reason })
			if !known {
				r[c.Code] = append(r[c.Code], c)
			}
		}
	}
}

// by reports whether a rule produced one of the causes. A circumstance that holds a change back extends its
// reason and has its own code.
func (r reached) by(rule *impact.Rule) bool {
	path := pathOf(rule.Path)
	return slices.ContainsFunc(slices.Concat(r[rule.Code], r["held-back"]), func(c impact.Cause) bool {
		return strings.HasPrefix(c.Reason, rule.Reason) && path.MatchString(c.Path)
	})
}

// pathOf returns an expression that matches the paths of causes that a rule's pattern covers.
func pathOf(pattern string) *regexp.Regexp {
	text := regexp.QuoteMeta(pattern)
	for _, form := range []struct{ pattern, text string }{
		{`\.\*\*`, ``}, {`\[\]`, ``}, {`\[\*\]`, `\[[^]]+\]`}, {`\*`, `([^.]+|\["[^"]+"\])`}, {`\."`, `\["`}, {`"`, `"\]?`},
	} {
		text = strings.ReplaceAll(text, form.pattern, form.text)
	}
	return regexp.MustCompile("^" + text + "$")
}

// checkReached fails if a rule for VMs that holds for the newest version produced no cause, except for the rules in
// unreached.
func checkReached(t *testing.T, r reached) {
	t.Helper()
	for _, rule := range rulesOfVMs() {
		if !holds(rule, newest) {
			continue
		}
		why := unreached[rule.Path+": "+rule.Reason]
		if rule.Level > impact.None && r.by(rule) != (why == "") {
			t.Errorf("the rule %s: %s (if %s): %s: reached: %v, although: %s", rule.Code, rule.Path, rule.If.Text, rule.Reason, why != "", why)
		}
	}
}

// checkOlderReached fails if a rule that does not hold for the newest version produced no cause in any of the versions that it
// holds for.
func checkOlderReached(t *testing.T, hits map[string]reached) {
	t.Helper()
	for _, rule := range rulesOfVMs() {
		tried, isReached := false, false
		for version, r := range hits {
			if holds(rule, version) {
				tried, isReached = true, isReached || r.by(rule)
			}
		}
		if !holds(rule, newest) && tried && !isReached {
			t.Errorf("the rule %s: %s (if %s): %s: not reached", rule.Code, rule.Path, rule.If.Text, rule.Reason)
		}
	}
}

func rulesOfVMs() []*impact.Rule {
	var out []*impact.Rule
	for _, topic := range impact.Topics() {
		if slices.Contains(elsewhere, topic.Title) {
			continue
		}
		for i := range topic.Rules {
			out = append(out, &topic.Rules[i])
		}
	}
	return out
}

// holds reports whether a rule is about a version of KubeVirt.
func holds(rule *impact.Rule, version string) bool {
	return (rule.From == "" || !versions.Before(version, rule.From)) && (rule.Before == "" || versions.Before(version, rule.Before))
}
