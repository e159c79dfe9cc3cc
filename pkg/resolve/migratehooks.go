package resolve

import (
	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// migrationHooks returns the hooks of the VM's migration, in the order in which they run.
func (d *draft) migrationHooks(in *values.Hooks) []machine.MigrationHook {
	if in == nil {
		return nil
	}
	var out []machine.MigrationHook
	for i, hook := range []*values.Hook{in.Pre, in.Post} {
		if hook == nil {
			continue
		}
		d.checkHook(hook, machine.HookSteps[i])
		h := machine.MigrationHook{
			Step: machine.HookSteps[i], Image: hook.Image, Playbook: hook.Playbook, ServiceAccount: hook.ServiceAccount,
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
