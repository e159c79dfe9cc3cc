package values

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// InlineCredentials is the problem of an address with credentials.
const InlineCredentials = "credentials in the address, in clear text; remove them, and name a Secret under `secret`"

// ReportSecret reports a secret in a file: a warning, or an error if the policy denies it.
func (p *Policy) ReportSecret(at source.Pos, path, problem string, diags *source.Diagnostics) {
	if p.InlineSecrets == "deny" {
		diags.Errorf(at, rule.InlineSecret, path, "%s", problem)
		return
	}
	diags.Warnf(at, rule.InlineSecret, path, "%s", problem)
}
