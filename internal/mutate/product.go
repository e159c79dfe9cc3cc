package main

// mutations are those of the rest of the product.
var mutations = []mutation{
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
		"pkg/render/lifecycle.go", "./pkg/render", "a pet that is removed from Git stays",
		`removal: values.Denied`, `removal: values.Approved`,
	},
	{
		"pkg/render/syncoptions.go", "./pkg/render ./cmd/vmrender", "an annotation does not take away protection",
		`strength(got) >= strength(own)`, `got.value != ""`,
	},
	{
		"pkg/render/syncoptions.go", "./pkg/render", "the user's sync options are merged with the lifecycle's",
		`mergeOptions(x.vmOptions(), options)`, `options`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "an Argo CD that cannot ask keeps the pet",
		`before: "Delete=false"`, `before: ""`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "kept disks outlive their Application",
		`"DataVolumes of their own", options: "Prune=false,Delete=false"`,
		`"DataVolumes of their own", options: "Prune=false"`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "the old VM goes when the new one is healthy",
		`options: "PruneLast=true"`, `options: ""`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "a claim grows a wave after the VM",
		`after: 1, options: "ServerSideApply=true,`, `options: "ServerSideApply=true,`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "a claim that grew is not deleted",
		`"ServerSideApply=true,Prune=false,Delete=false"`, `"ServerSideApply=true"`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "a replaced VM is deleted first",
		`"Force=true,Replace=true"`, `"Replace=true"`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "what outlives its VM leaves the Application in sync",
		`"IgnoreExtraneous"`, `""`,
	},
	{
		"pkg/render/collector.go", "./pkg/render", "a machine in vSphere has no VirtualMachine of its own",
		`if m.Migration.Pending() {`, `if m.Broken {`,
	},
	{
		"pkg/render/migrate.go", "./pkg/render", "a Plan stays while a machine is still to move",
		`return planParts{migrationPlan, migrationRun}`, `return planParts{finishedPlan, finishedRun}`,
	},
	{
		"pkg/render/migrate.go", "./pkg/render", "nothing that a failed run has made is deleted once a machine is taken over",
		`DeleteVMOnFailMigration: !of.has(moved)`, `DeleteVMOnFailMigration: true`,
	},
	{
		"pkg/machine/migrate.go", "./pkg/machine", "a disk with a source is none of vSphere",
		`!isTrue(in.Ejected) && in.Type != "cdrom" && !ownSource`, `(!isTrue(in.Ejected) || ownSource)`,
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
		"pkg/render/lifecycle.go", "./pkg/render", "an Ansible job follows all else and holds no sync",
		`after: lastWave,`, `hook: "PostSync",`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "the snapshots' permissions are there before their Job",
		`after: -1, hook`, `after: 0, hook`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render ./cmd/vmrender", "Argo CD 2.13 cannot ask for confirmation",
		`target.ArgoCD, 2, 14)`, `target.ArgoCD, 2, 13)`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render ./cmd/vmrender", "CDI of KubeVirt 1.4 deletes DataVolumes that are done",
		`x.Target.KubeVirt, 1, 5)`, `x.Target.KubeVirt, 1, 4)`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render", "parts of a VM have waves of their own",
		`wave + r.after`, `wave`,
	},
	{
		"pkg/plan/live_side.go", "./pkg/plan", "a plan reads from the cluster whether Argo CD may delete an object",
		`before["metadata"] = object["metadata"]`, `before["metadata"] = git["metadata"]`,
	},
	{
		"pkg/plan/live_owner.go", "./pkg/plan", "a plan says that a disk goes with the VM that it belongs to in the cluster",
		`l.disks[machine] = append(l.disks[machine], e.id.Name)`, `_ = machine`,
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
		"pkg/delivery/delivery.go", "./pkg/delivery", "an Application beside a platform selects the fleet",
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
		`Action == "DryRun"`, `Action != "Ignore"`,
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
		"pkg/rollout/approve.go", "./pkg/rollout", "only versions that Git pins are approved",
		`len(p.versions) > 0 && !slices.ContainsFunc(p.versions, other)`, `!slices.ContainsFunc(p.versions, other)`,
	},

	// What is rendered.
	{
		"pkg/render/lifecycle.go", "./pkg/render", "OpenShift protects VMs by this value",
		`protected       = "True"`, `protected       = "yes"`,
	},
	{
		"pkg/render/lifecycle.go", "./pkg/render ./pkg/rollout", "the rollout finds earlier root disks",
		`d.Name == values.RootDisk && strategy`, `d.Name != values.RootDisk && strategy`,
	},
	{
		"pkg/render/disks.go", "./pkg/render", "changed data in a Secret changes the VM",
		`device.Serial = g.serial()`, `device.Serial = ""`,
	},
	{
		"pkg/render/cloudinit.go", "./pkg/render", "the guest's data has one place",
		`c != nil && !placed.CloudInit`, `c != nil`,
	},
	{
		"pkg/render/disks.go", "./pkg/render", "an existing DataVolume is used as it is",
		`case d.Source.DataVolume != "" || `, `case `,
	},
	{
		"pkg/render/validate.go", "./cmd/vmrender", "Services find the VM",
		`!s.Group && domain != v.base`, `!s.Group && domain == "never"`,
	},
	{
		"pkg/render/cloudinit.go", "./pkg/render", "changed cloud-init data is another root disk",
		`machine.Hash(d.Claim, g.hash())`, `machine.Hash(d.Claim)`,
	},
	{
		"pkg/render/cloudinit.go", "./pkg/render", "a VM that stays keeps its Secret",
		`x.secretAnnotations()`, `x.syncAnnotations(dependent)`,
	},
	{
		"pkg/machine/part.go", "./cmd/vmrender-cmp", "Applications share no Jobs",
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
		"pkg/render/jobs.go", "./pkg/render", "a rollout may delete earlier disks",
		`"datavolumes"}, "list", "watch", "delete"`, `"datavolumes"}, "list", "watch"`,
	},
	{
		"pkg/render/datavolumes.go", "./pkg/render", "a disk has its storage class",
		`storage.StorageClassName = &d.StorageClass`, `storage.StorageClassName = nil`,
	},

	// What Jobs do.
	{
		"pkg/rollout/plan.go", "./pkg/rollout", "a rollout always goes on",
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
		"pkg/rollout/lease.go", "./pkg/rollout", "one rollout runs at a time",
		`holder == "" || holder == l.holder`, `true`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot is taken when the VM changes",
		`== s.Content:`, `!= s.Content:`,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot counts for one change only",
		`newest.Annotations[labels.Change] != s.change(vm) || `, ``,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot of long ago does not count",
		` || age(newest, now) >= freshness`, ``,
	},
	{
		"pkg/rollout/snapshot.go", "./pkg/rollout", "a snapshot without the root disk is none",
		`volume.Name == rootDisk || `, ``,
	},
	{
		"pkg/rollout/run.go", "./pkg/rollout", "a rollout waits until VMs are ready",
		` || m.stage == starting`, ``,
	},

	// What is said of a plan.
	{
		"pkg/report/plan_markdown.go", "./pkg/report", "a comment is not longer than GitHub accepts",
		`len(text) < mostMarkdown`, `len(text) < 10*mostMarkdown`,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "a comment mentions nobody",
		`b.WriteString(joiner)`, ``,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "a comment has no markup of a fleet",
		`b.WriteByte('\\')`, ``,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "the code of a comment ends where its text ends",
		"longestRun(text, '`')+1", "1",
	},
	{
		"pkg/report/plan.go", "./pkg/report", "a gate fails at its level",
		`p.Worst() >= level`, `p.Worst() > level`,
	},
	{
		"pkg/report/plan_steps.go", "./pkg/report", "people need not restart what a Job restarts",
		` || j.Restarts`, ``,
	},
	{
		"pkg/fleet/places.go", "./pkg/fleet", "an annotation stands at the nearest value above",
		`len(keys) > 0; keys`, `len(keys) > 1; keys`,
	},

	// What everything else rests on.
	{
		"pkg/edit/edit.go", "./pkg/edit", "an edited text is read again before it is written",
		`err == nil && slices.EqualFunc(got, wanted, equal)`, `err == nil || got == nil`,
	},
	{
		"pkg/edit/replace.go", "./pkg/edit", "a comment above a key is removed with it",
		`start = e.lead(s.start)`, `start = lineStart(e.text, s.start)`,
	},
	{
		"pkg/edit/write.go", "./pkg/edit", "what YAML 1.1 reads as a boolean is quoted",
		`&& n.Ambiguous() == ""`, ``,
	},
	{
		"pkg/source/merge.go", "./pkg/source", "null removes a key",
		`return withoutNulls(over)`, `return over`,
	},
	{
		"pkg/source/parse.go", "./pkg/source", "a file may have 32 MiB",
		`len(file.Data) > MaxFileSize`, `len(file.Data) >= MaxFileSize`,
	},
	{
		"pkg/source/parse.go", "./pkg/source ./cmd/vmrender", "maps are nested at most 100 levels deep",
		`MaxDepth    = 100 `, `MaxDepth    = 1000 `,
	},
	{
		"pkg/source/subset.go", "./pkg/source", "a line of dots ends a document",
		`case s.atMarker('.'):`, `case false:`,
	},
	{
		"pkg/source/full.go", "./pkg/source", "no document is read twice after a syntax error",
		`for at = max(0, at-1); ; {`, `for at = 0; ; {`,
	},
	{
		"pkg/source/marks.go", "./pkg/source", "a syntax error is reported where it is",
		`mark(parser, "problem_mark")`, `mark(parser, "context_mark")`,
	},
	{
		"pkg/source/accept.go", "./pkg/source", "JSON may write emoji as pairs of escapes",
		`return joinSurrogates(acceptVersion(text))`, `return acceptVersion(text)`,
	},
	{
		"pkg/manifest/readyaml.go", "./pkg/manifest", "no object of a stream is skipped",
		`err = checkEnd(text)`, `err = nil`,
	},
	{
		"pkg/manifest/object.go", "./pkg/layers", "objects are in the order of their names",
		`cmp.Compare(id.Name, other.Name),`, `cmp.Compare(other.Name, id.Name),`,
	},
	{
		"pkg/catalog/data/flavors.yaml", "./pkg/catalog", "the size of a flavor",
		"\nsmall: {cpu: 1, memory: 2Gi}", "\nsmall: {cpu: 1, memory: 1Gi}",
	},
	{
		"internal/golden/golden.go", "./internal/golden", "golden files are compared",
		`require.Equal(t, string`, `require.NotNil(t, string`,
	},

	// Web pages.
	{
		"pkg/report/html/html.go", "./pkg/report/html", "a page makes no request",
		`default-src 'none'; `, ``,
	},
	{
		"pkg/report/html/list.go", "./pkg/report/html", "the page of a large plan stays small",
		`texts.size > mostText`, `texts.size < 0`,
	},
}
