package main

// argocdMutations are those of what is read from Git, and of what Argo CD gets.
var argocdMutations = []mutation{
	// What is read from Git.
	{
		"pkg/revision/checkout.go", "./pkg/revision", "no commit makes a copy write outside its directory",
		`!isName(e.name)`, `false`,
	},
	{
		"pkg/revision/copy.go", "./pkg/revision", "no file is written through a symbolic link of the commit",
		`isLink == (b.mode == modeLink)`, `true`,
	},
	{
		"pkg/revision/copy.go", "./pkg/revision", "no copy is left behind",
		`return os.RemoveAll(dir)`, `return nil`,
	},
	// What Argo CD is told.
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "a pet that is removed from Git stays",
		`removal: values.Denied`, `removal: values.Approved`,
	},
	{
		"pkg/outcome/machine.go", "./pkg/render ./cmd/vmrender", "an annotation does not remove protection",
		`Strength(got) >= Strength(own)`, `got.Value != ""`,
	},
	{
		"pkg/render/look.go", "./pkg/render ./cmd/vmrender", "a kept disk stays, regardless of patches",
		`x.lookAtDisk(o)`, `_ = o`,
	},
	{
		"pkg/outcome/outcome.go", "./pkg/outcome ./cmd/vmrender", "no annotation of Argo CD is added to an object",
		`if more > 0 {`, `if more < 0 {`,
	},
	{
		"pkg/render/syncoptions.go", "./pkg/render", "the user's sync options are merged with the lifecycle's",
		`lifecycle.MergeOptions(x.vmOptions(), options)`, `lifecycle.MergeOptions(options, "")`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "an Argo CD that cannot ask keeps the pet",
		`before: "Delete=false"`, `before: ""`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "kept disks outlive their Application",
		`"separate DataVolumes", options: "Prune=false,Delete=false"`,
		`"separate DataVolumes", options: "Prune=false"`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "the old VM goes when the new one is healthy",
		`options: "PruneLast=true"`, `options: ""`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "a claim grows a wave after the VM",
		`after: 1, options: "ServerSideApply=true,`, `options: "ServerSideApply=true,`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "a claim that grew is not deleted",
		`"ServerSideApply=true,Prune=false,Delete=false"`, `"ServerSideApply=true"`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "a replaced VM is deleted first",
		`"Force=true,Replace=true"`, `"Replace=true"`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "what outlives its VM leaves the Application in sync",
		`"IgnoreExtraneous"`, `""`,
	},
	{
		"pkg/render/collector.go", "./pkg/render", "a VM in vSphere has no VirtualMachine of its own",
		`if m.Migration.Pending() {`, `if m.Broken {`,
	},
	{
		"pkg/forklift/plans.go", "./pkg/render", "a Plan stays while a VM is still to move",
		`return planParts{lifecycle.MigrationPlan, lifecycle.MigrationRun}`,
		`return planParts{lifecycle.FinishedPlan, lifecycle.FinishedRun}`,
	},
	{
		"pkg/forklift/plans.go", "./pkg/render", "nothing that a failed run has made is deleted once a VM is taken over",
		`DeleteVMOnFailMigration: !of.has(moved)`, `DeleteVMOnFailMigration: true`,
	},
	{
		"pkg/resolve/migrate.go", "./pkg/resolve", "a disk with a source is none of vSphere",
		`!values.IsTrue(in.Ejected) && in.Type != "cdrom" && !ownSource`, `(!values.IsTrue(in.Ejected) || ownSource)`,
	},
	{
		"pkg/plan/links.go", "./pkg/plan", "CDI fills no claim that is there",
		`c = claimTaken()`, `c.Level = Create`,
	},
	{
		"pkg/render/jobs.go", "./pkg/render", "no sync waits for a rollout",
		`j.last = max(j.last, last)`, `_ = last`,
	},
	{
		"pkg/render/jobs.go", "./pkg/render", "what has not changed is not rolled out again",
		`job.Name += "-" + machine.Hash(string(text))`, `_ = machine.Hash(string(text))`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "an Ansible job follows all else and holds no sync",
		`with its variables", after: lastWave,`, `with its variables", hook: "PostSync",`,
	},
	{
		"pkg/lifecycle/parts.go", "./pkg/render", "the snapshots' permissions are there before their Job",
		"of the snapshots\",\n\t\tafter: -1", "of the snapshots\",\n\t\tafter: 0",
	},
	{
		"pkg/lifecycle/annotations.go", "./pkg/render ./cmd/vmrender", "Argo CD 2.13 does not support confirmation",
		`target.ArgoCD, "2.14")`, `target.ArgoCD, "2.13")`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render ./cmd/vmrender", "CDI of KubeVirt 1.4 deletes DataVolumes that are done",
		`x.Target.KubeVirt, "1.5")`, `x.Target.KubeVirt, "1.4")`,
	},
	{
		"pkg/render/versions.go", "./cmd/vmrender", "no field in a template of a disk is dropped silently",
		`if !d.Keep {`, `if d.Keep {`,
	},
	{
		"pkg/compare/absent.go", "./pkg/compare", "a typo in --overlay is not a new environment",
		`case err != nil || inNew:`, `case err != nil || inNew || !inOld:`,
	},
	{
		"pkg/lifecycle/annotations.go", "./pkg/render", "parts of a VM have waves of their own",
		`wave + r.after`, `wave`,
	},
	{
		"pkg/pairs/cluster.go", "./pkg/plan", "a plan reads from the cluster whether Argo CD may delete an object",
		`before["metadata"] = object["metadata"]`, `before["metadata"] = git["metadata"]`,
	},
	{
		"pkg/cluster/owners.go", "./pkg/plan", "a plan reports that a disk goes with the VM that owns it in the cluster",
		`l.disks[machine] = append(l.disks[machine], e.ID.Name)`, `_ = machine`,
	},
	{
		"pkg/status/evict.go", "./pkg/status", "a VM that may only migrate, and cannot, blocks the drain of its node",
		`strategy == "LiveMigrate" && canMigrate == cluster.No`, `strategy == "LiveMigrate" && v.place.Need == nil`,
	},
	{
		"pkg/status/evict.go", "./pkg/status", "VMs that leave a node do not take the same room",
		`d.live.Occupy(p.Node, p.Need)`, `_ = p.Node`,
	},
	{
		"pkg/status/scheduled.go", "./pkg/plan", "status reports the VM that its schedule has not stopped, and no other",
		`s.Live.Running == cluster.Yes && !hasStarted`, `!hasStarted`,
	},
	{
		"pkg/drill/velero_data.go", "./pkg/drill", "a snapshot that stays at its site does not keep a disk",
		`case isSet && !moved, !isSet && b.server != nil:`, `case isSet && !moved && b.server == nil:`,
	},
	{
		"pkg/drill/shields.go", "./pkg/drill", "it is unknown whether a disk is lost if the cluster shows no backups at all",
		`v.unknown = append(v.unknown, d.unseen...)`, ``,
	},
	{
		"pkg/delivery/application.go", "./pkg/delivery ./cmd/vmrender", "two Applications do not share a VM",
		`"FailOnSharedResource=true",` + "\n", "\n",
	},
	{
		"pkg/delivery/names.go", "./pkg/delivery", "an Application with an overlay has a name of its own",
		`directory + variant(p.differences(overlays))`, `directory`,
	},
	{
		"pkg/delivery/application.go", "./pkg/delivery", "an Application for selected VMs prunes nothing",
		`Prune: !o.isSelection`, `Prune: true`,
	},
	{
		"pkg/delivery/delivery.go", "./pkg/delivery", "an Application next to a platform selects the fleet",
		`if p.isBesidePlatform() {`, `if false {`,
	},
	{
		"pkg/argocd/plugin/input.go", "./pkg/argocd/plugin", "neither of a fleet and a platform is rendered by accident",
		`return contents[0], errAmbiguous`, `return contents[0], nil`,
	},
	{
		"internal/files/batch.go", "./internal/files", "a change since a file was read is not overwritten",
		`if current != nil && bytes.Equal(current, was) {`, `if current != nil {`,
	},
	{
		"internal/files/batch.go", "./internal/files", "a file keeps its mode",
		`return f.Chmod(mode)`, `return nil`,
	},
	{
		"internal/files/batch.go", "./internal/files", "a run that failed leaves no temporary files",
		"\t\t_ = s.dir.root.Remove(s.temp)\n", "\t\t_ = s\n",
	},
	{
		"pkg/output/files.go", "./pkg/output", "a file of another program is not overwritten",
		`if listed.has(name) {`, `if true {`,
	},
	{
		"pkg/output/list.go", "./pkg/output", "a selection of VMs removes no other files",
		`rendered.has(name) || selected && !vms[stem(name)]`, `rendered.has(name)`,
	},
	{
		"pkg/output/list.go", "./pkg/output", "a directory belongs to one render",
		`if lines[1] != origin {`, `if false {`,
	},
	{
		"pkg/starter/place.go", "./cmd/vmrender", "a new fleet takes no directory from a platform",
		`exists(platform) {`, `false {`,
	},
	{
		"pkg/fleet/tree.go", "./pkg/fleet ./cmd/vmrender", "a file with almost a special name is not read as values",
		`case RightName(e.Name()) != "":`, `case false:`,
	},
	{
		"pkg/delivery/applicationset.go", "./pkg/delivery ./cmd/vmrender", "a directory that is renamed loses no VMs",
		`PreserveResourcesOnDeletion: true`, `PreserveResourcesOnDeletion: false`,
	},
	{
		"pkg/layers/apps.go", "./pkg/layers", "what a layer no longer renders is pruned",
		`Prune: true, SelfHeal: true`, `Prune: false, SelfHeal: true`,
	},
	{
		"pkg/layers/apps.go", "./pkg/layers", "a layer follows the default branch",
		`cmp.Or(p.Source.TargetRevision, "HEAD")`, `cmp.Or(p.Source.TargetRevision, "main")`,
	},
	{
		"pkg/layers/held.go", "./pkg/layers", "what waits for a person holds back only what needs it",
		`held[from] || p.layer(from).pending()`, `held[from]`,
	},
	{
		"pkg/layers/nodes.go", "./pkg/layers", "a pool waits for what other layers reboot it for, and not for a person",
		`!other.automated()`, `other.automated()`,
	},
	{
		"pkg/layers/placement.go", "./pkg/layers", "canaries only count among the clusters that policies are bound to",
		`bound.SubFilter = "restricted"`, `bound.SubFilter = ""`,
	},
	{
		"pkg/layers/unmanaged.go", "./pkg/layers", "an object that is left to others is not pruned",
		`Text: argocd.HookSkip`, `Text: "PostSync"`,
	},
	{
		"pkg/layers/policy.go", "./pkg/layers", "a version without manual approval is upgraded",
		` && spec.UpgradeApproval == "None"`, ``,
	},
	{
		"pkg/platform/place.go", "./pkg/platform", "no link leads a platform out of its repository",
		`[]string{absolute(path), physical(path)}`, `[]string{absolute(path)}`,
	},
	{
		"pkg/rollout/nodes.go", "./pkg/rollout", "a node with VMs keeps the labels by which KubeVirt runs there",
		"		if busy {", "		if busy && edit == nil {",
	},
	{
		"pkg/rollout/nodes.go", "./pkg/rollout", "the taints of others stay on nodes",
		"!ours[taintID(t)] && !slices.Contains", "!ours[taintID(t)] && slices.Contains",
	},
	{
		"pkg/rollout/review.go", "./pkg/rollout", "a layer that was not reviewed like this is not synced",
		"if l.IsStale(s, live) {", "if l.IsStale(s, live) && l.Name == \"\" {",
	},
	{
		"pkg/layers/agree.go", "./pkg/layers", "the pods of KubeVirt run on the nodes for VMs",
		`if taint := pool.Untolerated(set.Get("tolerations")); taint != "" {`,
		`if taint := pool.Untolerated(set.Get("tolerations")); taint == "-" {`,
	},
	{
		"pkg/rollout/approve.go", "./pkg/rollout", "only versions that Git pins are approved",
		`len(p.versions) > 0 && !slices.ContainsFunc(p.versions, other)`, `!slices.ContainsFunc(p.versions, other)`,
	},
	// Flux and Terraform.
	{
		"cmd/vmrender-cmp/generate.go", "./cmd/vmrender-cmp", "Argo CD gets no fleet whose VMs only Flux keeps",
		`if f.Header.Target.ByFlux() {`, `if f.Header.Target.ByFlux() && c.Most == 0 {`,
	},
	{
		"pkg/lifecycle/flux.go", "./pkg/lifecycle", "Flux keeps a pet that is removed from Git",
		`case "false":`, `case "-":`,
	},
	{
		"pkg/selfservice/template.go", "./pkg/selfservice", "VMs that users create are not kept by Flux",
		` || outcome.IsForDelivery(key)`, ` || outcome.IsForDelivery("")`,
	},
	{
		"pkg/adopt/terraform.go", "./pkg/adopt", "no report shows values that Terraform marks as sensitive",
		`		if o.Sensitive {`, `		if o.Sensitive && o.File == "" {`,
	},
	{
		"pkg/writeback/report.go", "./pkg/writeback", "no diff shows values of a VM with sensitive ones",
		`return m.Hidden && m.File == f.Path`, `return m.Hidden && m.File == ""`,
	},
}
