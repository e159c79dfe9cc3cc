package main

// renderedMutations are those of what is rendered, and of the Jobs that run in a cluster.
var renderedMutations = []mutation{
	// What is rendered.
	{
		"pkg/labels/labels.go", "./pkg/render", "OpenShift protects VMs by this value",
		`Protected  = "True"`, `Protected  = "yes"`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render ./pkg/rollout", "the rollout finds earlier root disks",
		`d.Name == values.RootDisk && x.Lifecycle`, `d.Name != values.RootDisk && x.Lifecycle`,
	},
	{
		"pkg/render/disks.go", "./pkg/render", "changed data in a Secret changes the VM",
		`device.Serial = x.dataSerial(g)`, `device.Serial = ""`,
	},
	{
		"pkg/render/cloudinit.go", "./pkg/render", "the guest's data has one place",
		`c != nil && !hasCloudInit`, `c != nil`,
	},
	{
		"pkg/keys/volume.go", "./pkg/render ./pkg/keys", "an existing DataVolume is used as it is",
		`case d.Source.DataVolume != "" || `, `case `,
	},
	{
		"pkg/render/validate.go", "./cmd/vmrender", "Services find the VM",
		`!s.Group && domain != v.base`, `!s.Group && domain == "never"`,
	},
	{
		"pkg/render/cloudinit.go", "./pkg/render", "changed cloud-init data is another root disk",
		`machine.Hash(d.Claim, cloudinit.Hash(g))`, `machine.Hash(d.Claim)`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "a VM that stays keeps its Secret",
		`text == "Prune=false" || text == "Delete=false"`, `text == ""`,
	},
	{
		"pkg/resolve/part.go", "./cmd/vmrender-cmp", "Applications share no Jobs",
		`f.Application != ""`, `f.Application == "-"`,
	},
	{
		"pkg/render/labels.go", "./pkg/render", "Services find their VM",
		`all[labelDomain] = x.base`, `all[labelDomain] = x.Namespace`,
	},
	{
		"pkg/render/jobs.go", "./pkg/render ./pkg/rollout", "a rollout restarts the VMs of its own part",
		`args = append(args, "--id", k.part)`, `args = append(args, "--id", k.namespace)`,
	},
	{
		"pkg/render/jobrules.go", "./pkg/render", "a rollout may delete earlier disks",
		`"datavolumes"}, "list", "watch", "delete"`, `"datavolumes"}, "list", "watch"`,
	},
	{
		"pkg/keys/disk.go", "./pkg/render ./pkg/keys", "a disk has its storage class",
		`s.StorageClassName = optional(&d.StorageClass)`, `s.StorageClassName = nil`,
	},

	// What Jobs do.
	{
		"pkg/rollout/plan.go", "./pkg/rollout", "a rollout always continues",
		`max(1, most)`, `max(0, most)`,
	},
	{
		"pkg/rollout/plan.go", "./pkg/rollout", "VMs that are down count as unavailable",
		`first(up, most-len(down))`, `first(up, most)`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "earlier root disks are kept for the way back",
		`old[min(keep, len(old)):]`, `old`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "a rollout deletes disks of its own VMs only",
		`owner.UID == m.UID`, `owner.UID != ""`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "a rollout keeps the disks that ran last",
		`turn(a), turn(b)`, `turn(b), turn(a)`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "a disk that another VM uses is not deleted",
		` && !inUse[disk.Name]`, ``,
	},
	{
		"pkg/rollout/plan.go", "./pkg/rollout", "a rollout that has stopped is not resumed by another commit",
		`&& r.bars(m)`, `&& false`,
	},
	{
		"pkg/rollout/plan.go", "./pkg/rollout", "each entry has its own maximum of unavailable VMs",
		`budget{m.Annotations[labels.Entry], `, `budget{"", `,
	},
	{
		"pkg/rollout/machine.go", "./pkg/rollout", "a rollout restarts no pets",
		`== labels.Pet`, `== "none"`,
	},
	{
		"pkg/rollout/target.go", "./pkg/rollout", "a rollout that is superseded ends",
		`r.applied && m.content() != `, `r.applied && "" == `,
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "an import that makes progress has time",
		`s.seen[m.why], s.since = true, now`, `s.seen[m.why] = true`,
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "a run checks its Lease before each restart",
		"for _, m := range due {\n\t\tif held, err := r.hold(ctx); err != nil || !held {",
		"for _, m := range due {\n\t\tif held, err := true, error(nil); err != nil || !held {",
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "a run that does not see the cluster restarts nothing",
		`if !r.view.sees() {`, `if false {`,
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "an outage counts to no deadline",
		`s.since = s.since.Add(now.Sub(r.looked))`, `s.since = s.since.Add(0)`,
	},
	{
		"pkg/rollout/patience.go", "./pkg/rollout", "a refusal ends a run only if it stays the same",
		`f.reason, f.same = reason, now`, `f.reason = reason`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "a disk that only an instance uses is not deleted",
		`addClaims(claims, instance.Spec.Volumes)`, `_ = instance`,
	},
	{
		"pkg/rollout/disks.go", "./pkg/rollout", "a disk that a VM would fill is not deleted",
		`claims[vm.Spec.DataVolumeTemplates[i].Name] = true`, `_ = i`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "KubeVirt gives up a snapshot when the Job does",
		`FailureDeadline: &metav1.Duration{Duration: deadline},`, ``,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot that has failed is not used again",
		`next == broken && !ours[snap.Name]`, `next == broken && false`,
	},
	{
		"pkg/rollout/scheduled.go", "./pkg/rollout", "a schedule deletes only its own snapshots",
		`snap.Labels[labels.Schedule] != s.ID || `, ``,
	},
	{
		"pkg/rollout/scheduled.go", "./pkg/rollout", "a schedule deletes no snapshots of an earlier VM of the same name",
		`&& *snap.Status.SourceUID != vm.UID`, `&& false`,
	},
	{
		"pkg/rollout/scheduled.go", "./pkg/rollout", "a schedule deletes nothing while its newest snapshot is not ready",
		`i == 0 && next != taken`, `false`,
	},
	{
		"pkg/rollout/scheduled.go", "./pkg/rollout", "a schedule deletes no snapshot that a restore needs",
		`restore := restoreOf(snap, all); restore != ""`, `restore := restoreOf(snap, all); false`,
	},
	{
		"pkg/rollout/scheduled.go", "./pkg/rollout", "a schedule keeps as many snapshots as it is to keep",
		`complete >= keep`, `complete >= keep-1`,
	},
	{
		"pkg/rollout/power.go", "./pkg/rollout", "a VM whose run strategy a stop would change is not stopped",
		`strategy != kubevirtv1.RunStrategyManual && strategy != kubevirtv1.RunStrategyRerunOnFailure`, `false`,
	},
	{
		"pkg/rollout/power.go", "./pkg/rollout", "a paused VM is not stopped",
		`off && m.isPaused()`, `false`,
	},
	{
		"pkg/rollout/power.go", "./pkg/rollout", "an Event tells that a VM was started by something else",
		`p.Off && before != ""`, `false`,
	},
	{
		"pkg/rollout/power.go", "./pkg/rollout", "an Event tells that a VM was stopped by something else",
		`!p.Off && before != offByRun`, `false`,
	},
	{
		"pkg/rollout/power.go", "./pkg/rollout", "VMs are stopped before those that they depend on",
		`return b - a`, `return a - b`,
	},
	{
		"pkg/rollout/lease.go", "./pkg/rollout", "one rollout runs at a time",
		`holder == "" || holder == l.holder`, `true`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot is taken when the VM changes",
		`== s.Content:`, `!= s.Content:`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot counts for one change only",
		`newest.Annotations[labels.Change] != s.change(vm)`, `false`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot of long ago does not count",
		`age(newest, now) >= freshness`, `false`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot without the root disk is none",
		`volume.Name == rootDisk || `, ``,
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "a rollout waits until VMs are ready",
		` || m.stage == starting`, ``,
	},
}
