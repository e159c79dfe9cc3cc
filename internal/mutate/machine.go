package main

// machineMutations are those of what decides what a VM is.
var machineMutations = []mutation{
	// What must never change.
	{
		"pkg/resolve/identity.go", "./pkg/resolve", "the seed of all firmware UUIDs and serial numbers",
		`0x5d, 0x6c`, `0x5d, 0x6d`,
	},
	{
		"pkg/resolve/identity.go", "./pkg/resolve", "what MAC addresses are derived from",
		`"mac\x00" + id.seed`, `"nic\x00" + id.seed`,
	},
	{
		"pkg/resolve/identity.go", "./pkg/resolve", "VMs of two environments share no identity",
		`id.seed += "\x00" + f.Environment`, `id.seed += ""`,
	},
	{
		"pkg/validation/guestagent.go", "./pkg/resolve", "what is built in about an image is not assumed of another one",
		`catalog.IsBuiltin(image.Pos()) ||`, `image != nil ||`,
	},
	{
		"pkg/resolve/disklabels.go", "./pkg/resolve", "a disk has no label that its null removes",
		`delete(all, own[i].Key)`, `_ = own[i].Key`,
	},
	{
		"pkg/inventory/waves.go", "./pkg/inventory ./pkg/resolve",
		"a dependency has the namespace of its VM in the environment",
		`r.deps[i].Namespace = on.namespace`, `r.deps[i].Namespace = on.home`,
	},
	{
		"pkg/fleet/environment.go", "./pkg/resolve", "a namespace that an overlay sets for a VM is not moved",
		` || f.homeOf(e.Top) != home`, ``,
	},
	{
		"pkg/machine/hash.go", "./pkg/resolve", "the hash in names of disks, parts and Jobs",
		`fnv.New64a()`, `fnv.New64()`,
	},
	{
		"pkg/resolve/part.go", "./pkg/resolve", "the part's name is the same for the same VMs in another order",
		`slices.Sorted(slices.Values(f.VMs))`, `slices.Clone(f.VMs)`,
	},
	{
		"pkg/resolve/diskclaims.go", "./pkg/resolve", "a root disk of another mode is another disk",
		`d.Size, d.StorageClass, d.AccessMode, d.VolumeMode)`, `d.Size, d.StorageClass, d.AccessMode)`,
	},

	{
		"pkg/resolve/diskclaims.go", "./pkg/resolve", "the number of a revision is also part of a given name",
		`out.Kind == machine.DiskDataVolume && out.Revision > 1`, `in.ClaimName == "" && out.Revision > 1`,
	},
	{
		"pkg/resolve/diskclaims.go", "./cmd/vmrender", "two revisions of a VM have no disk of one name",
		`case d.traits.Together != "":`, `case d.traits.Together == "never":`,
	},
	{
		"pkg/resolve/diskclaims.go", "./cmd/vmrender", "an existing DataVolume has one writer",
		`cmp.Or(out.Source.Claim, out.Source.DataVolume)`, `cmp.Or(out.Source.Claim, out.Name)`,
	},
	{
		"pkg/resolve/diskpvc.go", "./cmd/vmrender ./pkg/render", "the size of a pvc is that of the disk",
		`out.Size = size.Text`, `out.Size = ""`,
	},
	{
		"pkg/validation/guestdisks.go", "./cmd/vmrender", "a disk for data that there is none of is refused",
		`data.placed && !data.some`, `data.placed && data.some && false`,
	},

	// Defaults.
	{
		"pkg/resolve/lifecycle.go", "./pkg/resolve", "one earlier root disk is kept, for the way back",
		`Int: 1}, KeepOld: 1,`, `Int: 1}, KeepOld: 0,`,
	},
	{
		"pkg/resolve/lifecycle.go", "./pkg/resolve", "one VM is restarted at a time",
		`values.IntOrPercent{Int: 1}`, `values.IntOrPercent{Int: 2}`,
	},
	{
		"pkg/resolve/diskclaims.go", "./pkg/resolve", "the disks of a pet are kept",
		`return d.traits.Pet`, `return !d.traits.Pet`,
	},
	{
		"pkg/resolve/addresses.go", "./pkg/resolve", "a gateway is not a name server",
		`out.DNS = net.DNS`,
		`if out.DNS = net.DNS; out.DNS == nil && out.Gateway != "" { out.DNS = []string{out.Gateway} }`,
	},
	{
		"pkg/resolve/addresses.go", "./pkg/resolve", "a NIC's own gateway goes before its network's",
		`cmp.Or(n.Gateway, net.Gateway)`, `cmp.Or(net.Gateway, n.Gateway)`,
	},
	{
		"pkg/catalog/resolve.go", "./pkg/resolve", "the bus of disks is the operating system's",
		`return cmp.Or(r.DiskBus, "virtio")`, `return "virtio"`,
	},

	{
		"pkg/validation/arch.go", "./pkg/resolve", "Windows is refused where its hardware does not exist",
		`len(d.entry.OS.Lacking) > 0 && m.Preference == nil`, `len(d.entry.OS.Lacking) > 9`,
	},
	{
		"pkg/catalog/data/traits.yaml", "./pkg/catalog", "arm64 boots without secure boot",
		`defaults: {firmware: {type: secureboot}}
  arch: {arm64: {defaults: {firmware: {type: efi}}}, `, `defaults: {firmware: {type: secureboot}}
  arch: {`,
	},
	{
		"pkg/catalog/arch.go", "./pkg/catalog", "there are no boot sources outside OpenShift",
		`if bootSource && s.plain {`, `if false && bootSource {`,
	},
	{
		"pkg/validation/firmware.go", "./pkg/resolve", "an existing disk boots with its own firmware",
		`if src.Claim == "" && src.DataVolume == "" && src.PVC`, `if src.PVC`,
	},
	{
		"pkg/resolve/guest.go", "./pkg/resolve", "user data that the guest ignores is an error",
		`if c.UserData != "" && !mixed {`, `if false && !mixed {`,
	},
	{
		"pkg/fleet/level.go", "./pkg/resolve", "values are checked at every level",
		`	values.CheckForms(keys, path, diags)
`, ``,
	},

	// Protection.
	{
		"pkg/resolve/lifecycle.go", "./pkg/resolve", "a protected VM cannot be deleted",
		`Protect: values.IsTrue(lc.Protect),`, `Protect: false,`,
	},
	{
		"pkg/resolve/identity.go", "./pkg/resolve", "two revisions side by side have no MAC address in common",
		` && d.traits.Together == ""`, ``,
	},
	{
		"pkg/values/secret.go", "./pkg/resolve ./cmd/vmrender", "a policy refuses passwords in the repository",
		`InlineSecrets == "deny"`, `InlineSecrets == "allow"`,
	},
	{
		"pkg/fleet/tree.go", "./pkg/fleet", "a symbolic link does not lead out of the fleet",
		`problem := linkProblem(w.tree.root, path)`, `problem := ""`,
	},
	{
		"pkg/validation/platform.go", "./pkg/resolve", "the pod network of one namespace is not that of a VM in another one",
		`namespace != "" && namespace != m.Namespace`, `false`,
	},
	{
		"pkg/fleet/platform.go", "./pkg/resolve", "a NIC on virtual functions has their binding",
		`scalar(f, "binding", "sriov")`, `scalar(f, "binding", "bridge")`,
	},
	{
		"pkg/fleet/platform.go", "./pkg/fleet", "a symbolic link of platform.yaml does not either",
		`problem := linkProblem(f.tree.root, path)`, `problem := ""`,
	},
	{
		"pkg/fleet/explain.go", "./cmd/vmrender", "explain shows no vars",
		`^(vars|overrides`, `^(overrides`,
	},

	// What cannot work.
	{
		"pkg/resolve/addresses.go", "./pkg/resolve", "an address on the pod network is refused",
		`if isOfPod {`, `if isOfPod && i < 0 {`,
	},
	{
		"pkg/resolve/addresses.go", "./pkg/resolve", "an address has its network's prefix length",
		`cidr.Bits() != prefix.Bits()`, `cidr.Bits() > prefix.Bits()+32`,
	},
	{
		"pkg/resolve/guest.go", "./pkg/resolve", "Windows with cloud-init for Linux is refused",
		`Family != "windows" ||`, `Family != "macos" ||`,
	},
	{
		"pkg/resolve/guest.go", "./pkg/resolve", "an answer file for Linux is refused",
		`Family == "linux" {`, `Family == "dos" {`,
	},
	{
		"pkg/resolve/sizing.go", "./cmd/vmrender", "a policy refuses sizes below the minimum",
		`Minimum == "deny"`, `Minimum == "allow"`,
	},
	{
		"pkg/resolve/disks.go", "./pkg/resolve", "a clone has the size of its source",
		`out.Size = "" //`, `_ = "" //`,
	},

	// Duplicates.
	{
		"pkg/inventory/duplicates.go", "./pkg/inventory ./pkg/resolve", "two VMs with one name are reported",
		`index[r.machineKey]; ok {`, `index[r.machineKey]; ok && r.wave < 0 {`,
	},
	{
		"pkg/inventory/duplicates.go", "./pkg/inventory ./pkg/resolve", "two NICs with one address are reported",
		`seen[a.addressKey]; ok {`, `seen[a.addressKey]; ok && a.nic == "" {`,
	},
	{
		"pkg/inventory/duplicates.go", "./pkg/inventory ./pkg/resolve", "two VMs whose disks have one name are reported",
		`ok && first.name != r.name {`, `ok && first.name == r.name {`,
	},
	{
		"pkg/inventory/duplicates.go", "./pkg/inventory ./pkg/resolve", "two VMs that write to one claim are reported",
		`!(first.shared && c.shared)`, `!(first.shared || c.shared)`,
	},
	{
		"pkg/inventory/duplicates.go", "./pkg/inventory ./pkg/resolve", "the claim of another VM's disk is not written to",
		`if o.writes {`, `if o.writes && o.shared {`,
	},
	{
		"pkg/resolve/nics.go", "./pkg/resolve", "two NICs of one name are reported",
		`names[name] > 1 {`, `names[name] > 2 {`,
	},

	// Boundaries.
	{
		"pkg/resolve/disksources.go", "./pkg/resolve", "a clone of a snapshot needs no size",
		` || src.Snapshot != ""`, ``,
	},
	{
		"pkg/resolve/diskchecks.go", "./pkg/resolve", "a disk may grow to the size that it has",
		`sized && to < size {`, `sized && to <= size {`,
	},
	{
		"pkg/validation/strategy.go", "./pkg/resolve", "a guest that stops too slowly is not replaced",
		`*grace >= patience`, `*grace > patience`,
	},
	{
		"pkg/values/names.go", "./pkg/values ./pkg/resolve", "names have at most 63 characters",
		`DNS1123LabelMaxLength`, `DNS1123LabelMaxLength + 1`,
	},
	{
		"pkg/resolve/addresses.go", "./pkg/resolve", "both addresses of a /31 are hosts",
		`p.Bits() >= 31`, `p.Bits() > 31`,
	},
	{
		"pkg/resolve/nics.go", "./pkg/resolve", "a MAC address is not a multicast address, and may be local",
		`if mac[0]&1 != 0 {`, `if mac[0]&2 != 0 {`,
	},
	{
		"pkg/resolve/sizing.go", "./pkg/resolve", "1Mi of memory is enough",
		`guest < sizes.LeastBytes`, `guest <= sizes.LeastBytes`,
	},
	{
		"pkg/inventory/tally.go", "./pkg/inventory ./pkg/resolve", "VMs beyond the bound of a render are not decided",
		`return t.total <= t.most`, `return true`,
	},
	{
		"pkg/inventory/waves.go", "./pkg/inventory ./pkg/resolve", "a VM comes a wave after what it depends on",
		`max(least, on.wave+1)`, `max(least, on.wave)`,
	},
}
