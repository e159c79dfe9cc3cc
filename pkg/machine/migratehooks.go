package machine

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// MigrationHook is what forklift runs before or after a VM moves.
type MigrationHook struct {
	Step           string // pre or post
	Image          string
	Playbook       string // text, or "" if the image runs what it has
	ServiceAccount string // or "" for that of forklift
	Deadline       int    // in seconds; 0 for none
}

// hookSteps are the keys of hooks, in the order in which they run.
var hookSteps = [...]string{"pre", "post"}

// migrationHooks returns the hooks of the VM's migration, in the order in which they run.
func (d *draft) migrationHooks(in *values.Hooks) []MigrationHook {
	if in == nil {
		return nil
	}
	var out []MigrationHook
	for i, hook := range []*values.Hook{in.Pre, in.Post} {
		if hook == nil {
			continue
		}
		d.checkHook(hook, hookSteps[i])
		h := MigrationHook{
			Step: hookSteps[i], Image: hook.Image, Playbook: hook.Playbook, ServiceAccount: hook.ServiceAccount,
		}
		if hook.Deadline != nil {
			h.Deadline = *hook.Deadline
		}
		out = append(out, h)
	}
	return out
}

// playbookPassword matches a password in a playbook that is neither a template of Ansible's, nor in its vault, nor on
// the lines that follow.
var playbookPassword = lazyregexp.New(
	`(?mi)^[ \t-]*\w*(password|passwd|passphrase|token|secret)[ \t]*:[ \t]*("[^"{\n]|'[^'{\n]|[^\s"'{#!|>&*])`)

// checkHook reports a hook that forklift cannot run, and a password in its playbook.
func (d *draft) checkHook(hook *values.Hook, step string) {
	path := "migrate.hooks." + step
	if hook.Image == "" {
		d.errorf(d.entry.KeyAt("migrate", "hooks", step), rule.MissingKey, path+".image",
			"missing image; expected a container image, such as \"quay.io/konveyor/hook-runner:latest\" for a playbook")
	}
	keys := []string{"migrate", "hooks", step, "playbook"}
	if n := d.entry.Keys.Get(keys...); n != nil && n.Style == source.Folded {
		d.errorf(n.Pos(), rule.InvalidValue, path+".playbook", "`>` joins the lines of the playbook; write `|`")
	}
	if playbookPassword().MatchString(hook.Playbook) {
		d.reportInlineSecret("a password in clear text; read it from a Secret that the `serviceAccount` can get", keys...)
	}
}

// hookSum is the same for the same hooks only.
type hookSum [sha256.Size]byte

// hookSums returns the sums of hooks, by step.
func hookSums(hooks []MigrationHook) map[string]hookSum {
	if len(hooks) == 0 {
		return nil
	}
	out := make(map[string]hookSum, len(hooks))
	for _, h := range hooks {
		out[h.Step] = sha256.Sum256(fmt.Appendf(nil, "%#v", h))
	}
	return out
}

// planHooks are the first VMs with a hook of each plan, by the hook's step.
type planHooks map[planStep]*record

type planStep struct{ namespace, plan, step string }

// check reports hooks of a VM that differ from those of the other VMs of its plan: forklift continues with the
// names that a VM's hooks had in its first run, so they are those of the Plan and the step (kubev2v/forklift
// v2.12.5, pkg/controller/plan/migrator/base/migrator.go, Status).
func (p planHooks) check(r *record, diags *source.Diagnostics) {
	for _, step := range hookSteps {
		sum, ok := r.planned.hooks[step]
		if !ok {
			continue
		}
		key := planStep{r.namespace, r.planned.name, step}
		first := cmp.Or(p[key], r)
		p[key] = first
		if first.planned.hooks[step] != sum {
			diags.Errorf(r.pos, rule.Conflict, r.path()+".migrate.hooks."+step,
				"not the hook of the VM %q at %s; the VMs of the plan %q share one: set it once, for all of them, "+
					"and `hooks: {%s: null}` for those without", first.name, where(first.pos), r.planned.name, step)
		}
	}
}
