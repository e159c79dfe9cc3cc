package resolve

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
)

// userDataHeads are the beginnings, in lower case, of what a guest accepts as user
// data. Everything else is ignored, which only the guest's log shows.
var userDataHeads = []string{
	// cloud-init (canonical/cloud-init cloudinit/handlers/__init__.py, INCLUSION_TYPES_MAP, and MIME archives).
	"#cloud-config", "#!", jinja, "#include", "#cloud-boothook", "#part-handler", "#upstart-job",
	"content-type:", "mime-version:",
	// Ignition, which is JSON, and Talos Linux (siderolabs/talos, VM configuration v1alpha1).
	"{", "version: v1alpha1",
	// cloudbase-init (cloudbase-init.readthedocs.io, userdata).
	"#ps1", "rem cmd", "<powershell>", "<script>",
}

// checkUserDataHead reports user data that no guest reads. Guests ignore case, and
// space at the beginning.
func (d *draft) checkUserDataHead(text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !slices.ContainsFunc(userDataHeads, func(head string) bool { return strings.HasPrefix(text, head) }) {
		d.reportNew(d.entry.KeyAt("cloudInit", "userData"), rule.BadValue, "cloudInit.userData",
			"user data without its first line, which the guest ignores; "+
				"expected `#cloud-config`, `#!/bin/sh` or another header of cloud-init first")
	}
}
