package impact

import (
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
		{"Older versions of KubeVirt", slices.Concat(rulesVersions, rulesReplaced)},
		{"The gate of a fleet", rulesGate},
		{"Labels, annotations and sync options of a VM", rulesMetadata},
		{"Power", rulesPower},
		{"Templates of disks", rulesTemplates},
		{"Volumes", slices.Concat(rulesUnpluggable, rulesVolumes)},
		{"Disks, as the guest sees them", rulesDisks},
		{"NICs and networks", rulesNICs},
		{"Processors", rulesProcessors},
		{"Memory", rulesMemory},
		{"Placement", rulesPlacement},
		{"Everything else of a VM", rulesRest},
		{"Pools", PoolRules()},
		{"DataVolumes and claims", rulesStorage},
		{"Migrations from vSphere", rulesMigration},
		{"Effects on nodes and on all VMs", rulesEffects},
		{"Networks of nodes", rulesNodes},
		{"Applications", rulesApplications},
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
