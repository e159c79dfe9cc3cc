package impact

import "github.com/vmrender/vmrender/pkg/diff"

// The kinds of forklift, and the sources of their rules.
const (
	KindPlan = "Plan.forklift.konveyor.io"
	kindRun  = "Migration.forklift.konveyor.io"
	kindHook = "Hook.forklift.konveyor.io"

	sourceForklift = "forklift v2.12.5, pkg/controller/plan/migration.go"
	sourceHooks    = "forklift v2.12.5, pkg/controller/plan/hook.go, and migrator/base/migrator.go, Status"
	sourceCleanup  = "forklift v2.12.5, pkg/controller/plan/controller.go, cleanupOrphanedResources"
)

// rulesMigration are the rules of migrations from vSphere. What they do to VMs that are not in the cluster yet has
// the level that it would have there.
var rulesMigration = []Rule{
	{Kind: kindRun, Path: diff.Created, Level: Power, Code: "migration-starts", Reason: "forklift moves the VMs of the Plan: it shuts them down in vSphere, immediately or, if the Plan is warm, at the cutover", Advice: "check that the Plan is ready, and that the rehearsal has succeeded", Key: "migrate.run", Source: sourceForklift},
	{Kind: kindRun, Path: "spec.cutover", Level: Power, Code: "migration-cutover", Reason: "forklift shuts the VMs down in vSphere at that time, and starts them here", Key: "migrate.cutover", Source: sourceForklift},
	{Kind: kindRun, Path: "spec.cancel.**", Level: Power, Code: "migration-cancelled", Reason: "forklift abandons the VMs that have not moved yet, and starts them in vSphere if it has shut them down", Key: "migrate.cancel", Source: sourceForklift},
	{Kind: kindRun, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps it, and it continues to run", Source: sourceOptions},
	{Kind: kindRun, Path: diff.Removed, Level: Delete, Code: "migration-cancelled", Reason: "forklift cancels the migrations that still run; VMs that have moved stay", Source: sourceForklift},
	{Kind: KindPlan, Path: diff.Created, Level: Create, Code: "created", Reason: "forklift checks whether the VMs can move; none moves before a Migration", Source: sourceForklift},
	{Kind: KindPlan, Path: "spec.**", Level: Metadata, Code: "updated", Reason: "forklift checks the Plan again; a Migration that runs does not change", Key: "migrate", Source: sourceForklift},
	{Kind: KindPlan, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps it", Source: sourceOptions},
	{Kind: KindPlan, Path: diff.Removed, Level: Delete, Code: "migration-removed", Reason: "forklift deletes what it has copied for VMs that have not moved; disks of a VirtualMachine stay", Advice: "check that all VMs of the Plan have moved", Source: sourceCleanup},
	{Kind: kindHook, Path: diff.Created, Level: Create, Code: "created", Reason: "forklift runs it for each VM of the Plan, and not before a Migration", Source: sourceHooks},
	{Kind: kindHook, Path: "spec.**", Level: Metadata, Code: "updated", Reason: "forklift runs the new one for VMs that have not reached it, also in a running Migration", Key: "migrate.hooks", Source: sourceHooks},
	{Kind: kindHook, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps it", Source: sourceOptions},
	{Kind: kindHook, Path: diff.Removed, Level: Delete, Code: "hook-removed", Reason: "a Plan that names it is no longer ready, and fails the VMs that have not reached it", Advice: "check that all VMs of the Plan have moved", Key: "migrate.hooks", Source: sourceHooks},
}
