package plan

import (
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
)

// Codes returns the codes of all causes, sorted.
func Codes() []impact.Code {
	all := map[impact.Code]bool{}
	for _, r := range impact.Rules() {
		all[r.Code] = true
	}
	for _, c := range engineCodes {
		all[c] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// engineCodes are the codes of causes that no single field has.
var engineCodes = []impact.Code{
	"blue-green", "claim-exists", "created", "filled-again", "in-flight", "not-moved-yet", "restart-pending", "reverted",
	"running-stays", "taken-over", "unknown-to-git",
	"delete-protected", "deleted", "disk-deleted", "held-back", "left", "members-recreated", "members-restarted",
	"names-taken", codeFirstBoot, "disks-found", "moved", "same-address", "same-identity", "state-deleted",
	codeNeverStarts, codeRefused, "no-room", "renamed", "replaced", "secret-unseen", "two-writers",
	"upgrade", CodeAdopted, gate.CodeApproved, gate.CodeMissing, gate.CodeStale, gate.CodeUnapprovable,
	gate.CodeCeiling, gate.CodeLimit, gate.CodeRemoval, gate.CodeStage, gate.CodeHeld, gate.CodeNotHeld,
}
