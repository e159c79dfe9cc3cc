package plan

import (
	"maps"
	"slices"
)

// Topic is a table of rules, in the order in which they are tried.
type Topic struct {
	Title string
	Rules []Rule
}

// Topics returns all rules, those of VMs first. They are data for the reference;
// changing them has no effect.
func Topics() []Topic {
	topics := []Topic{
		{"Older versions of KubeVirt", rulesVersions},
		{"The gate of a fleet", rulesGate},
		{"Labels, annotations and sync options of a VM", rulesMetadata},
		{"Power", rulesPower},
		{"Templates of disks", rulesTemplates},
		{"Volumes", rulesVolumes},
		{"Disks, as the guest sees them", rulesDisks},
		{"NICs and networks", rulesNICs},
		{"Processors", rulesProcessors},
		{"Memory", rulesMemory},
		{"Placement", rulesPlacement},
		{"Everything else of a VM", rulesRest},
		{"Pools", poolRules()},
		{"DataVolumes and claims", rulesStorage},
		{"Migrations from vSphere", rulesMigration},
		{"Nodes", rulesNodes},
		{"The platform", rulesPlatform},
		{"Objects that act on VMs", rulesKinds},
		{"Other objects", rulesObjects},
	}
	for i := range topics {
		topics[i].Rules = slices.Clone(topics[i].Rules)
	}
	return topics
}

// Rules returns the rules of all topics.
func Rules() []Rule {
	var out []Rule
	for _, t := range Topics() {
		out = append(out, t.Rules...)
	}
	return out
}

// Codes returns the codes of all causes, sorted.
func Codes() []Code {
	all := map[Code]bool{}
	for _, r := range Rules() {
		all[r.Code] = true
	}
	for _, c := range engineCodes {
		all[c] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// engineCodes are the codes of causes that no single field has.
var engineCodes = []Code{
	"blue-green", "claim-exists", "created", "filled-again", "in-flight", "not-moved-yet", "restart-pending", "reverted",
	"running-stays", "taken-over", "unknown-to-git",
	"delete-protected", "deleted", "disk-deleted", "held-back", "left", "members-recreated", "members-restarted",
	"names-taken", "disks-found", "moved", "same-address", "same-identity", "state-deleted",
	codeNeverStarts, codeRefused, "no-room", "renamed", "replaced", "secret-unseen", "two-writers",
	"upgrade", CodeAdopted, CodeApproved, CodeMissing, CodeStale, CodeUnapprovable, CodeCeiling, CodeRemoval, CodeStage,
}
