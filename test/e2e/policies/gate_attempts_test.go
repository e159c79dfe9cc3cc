package policies_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// These are the annotations of the gate.
const (
	approveFrom = "vmrender.io/approve-from"
	maxImpact   = "vmrender.io/max-impact"
	becomes     = "vmrender.io/becomes"
	approved    = "vmrender.io/approved"
	stage       = "vmrender.io/stage"
	breakGlass  = "vmrender.io/break-glass"
	syncOptions = "argocd.argoproj.io/sync-options"
)

// These are the states before and after a change, and the approval of the change.
const (
	base, target = "11111111", "22222222"
	token        = base + "-" + target
)

// gateAttempts returns the attempts of the gate. They are made by Argo CD, unless they
// specify another user.
func gateAttempts() []attempt {
	var all []attempt
	for _, some := range [][]attempt{
		mildAttempts(), guardedAttempts(), approvalAttempts(), weakeningAttempts(), stageAttempts(), ceilingAttempts(),
		deletionAttempts(), keptAttempts(), poolAttempts(), kubeVirtAttempts(), breakGlassAttempts(),
	} {
		all = append(all, some...)
	}
	for i := range all {
		if all[i].as.UserName == "" {
			all[i].as = argoCD
		}
	}
	return named("gate", all)
}

// gated returns a running VM of a fleet that requires approvals of restarts. The
// annotations take precedence, and an empty one is omitted.
func gated(annotations map[string]string) *unstructured.Unstructured {
	o := machine("gated")
	with(o, object{"cpu": object{"sockets": int64(2), "cores": int64(1)}, "memory": object{"guest": "4Gi"}, "devices": object{
		"disks":      []any{object{"name": "root", "disk": object{"bus": "virtio"}}},
		"interfaces": []any{object{"name": "lan", "bridge": object{}}},
	}}, "spec", "template", "spec", "domain")
	with(o, []any{object{"name": "root", "dataVolume": object{"name": "root-1"}}}, "spec", "template", "spec", "volumes")
	with(o, []any{object{"name": "lan", "multus": object{"networkName": "vlan7"}}}, "spec", "template", "spec", "networks")
	with(o, []any{template("root-1")}, "spec", "dataVolumeTemplates")
	with(o, "LiveMigrate", "spec", "template", "spec", "evictionStrategy")
	all := map[string]string{approveFrom: "restart", becomes: base}
	maps.Copy(all, annotations)
	maps.DeleteFunc(all, func(_, v string) bool { return v == "" })
	o.SetAnnotations(all)
	return o
}

func template(name string) object {
	return object{"metadata": object{"name": name}, "spec": object{
		"source": object{"blank": object{}}, "storage": object{"resources": object{"requests": object{"storage": "1Gi"}}},
	}}
}

// change is an edit of a VM.
type change = func(*unstructured.Unstructured)

// commit makes changes as vmrender renders them: with approvals, and the new state of the
// VM.
func commit(approvals string, changes ...change) change {
	return func(o *unstructured.Unstructured) {
		annotated(o, becomes, target)
		annotated(o, approved, approvals)
		for _, c := range changes {
			c(o)
		}
	}
}

// annotated sets an annotation, or removes it if the value is empty.
func annotated(o *unstructured.Unstructured, key, value string) {
	all := o.GetAnnotations()
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	if value == "" {
		delete(all, key)
	}
	o.SetAnnotations(all)
}

// annotation returns a change to an annotation.
func annotation(key, value string) change {
	return func(o *unstructured.Unstructured) { annotated(o, key, value) }
}

// set returns a change to a field of the instance.
func set(value any, path string) change {
	return func(o *unstructured.Unstructured) {
		with(o, value, append([]string{"spec", "template", "spec"}, strings.Split(path, ".")...)...)
	}
}

// add returns a change that adds an entry to a list of the instance.
func add(entry object, path string) change {
	return func(o *unstructured.Unstructured) {
		fields := append([]string{"spec", "template", "spec"}, strings.Split(path, ".")...)
		list, _, err := unstructured.NestedSlice(o.Object, fields...)
		if err != nil {
			panic(err) // the path is a constant of this package
		}
		with(o, append(list, entry), fields...)
	}
}

// These are changes of guarded levels, and milder ones.
var (
	cores    = set(int64(2), "domain.cpu.cores")
	sockets  = set(int64(4), "domain.cpu.sockets")
	reserved = set("None", "evictionStrategy")
	podLabel = func(o *unstructured.Unstructured) {
		with(o, object{"labels": object{"tier": "web"}}, "spec", "template", "metadata")
	}
	forgotten = func(o *unstructured.Unstructured) {
		unstructured.RemoveNestedField(o.Object, "spec", "template", "spec", "evictionStrategy")
	}
	newRoot = func(o *unstructured.Unstructured) {
		with(o, []any{template("root-2")}, "spec", "dataVolumeTemplates")
		with(o, []any{object{"name": "root", "dataVolume": object{"name": "root-2"}}}, "spec", "template", "spec", "volumes")
	}
	// ofClaim returns a change to the name and the claim of the only disk.
	ofClaim = func(name, of string) change {
		return func(o *unstructured.Unstructured) {
			set([]any{object{"name": name, "disk": object{"bus": "virtio"}}}, "domain.devices.disks")(o)
			set([]any{object{"name": name, "persistentVolumeClaim": object{"claimName": of}}}, "volumes")(o)
		}
	}
	hotDisk = func(o *unstructured.Unstructured) {
		add(object{"name": "more", "disk": object{"bus": "scsi"}}, "domain.devices.disks")(o)
		add(object{"name": "more", "dataVolume": object{"name": "more", "hotpluggable": true}}, "volumes")(o)
	}
	coldDisk = func(o *unstructured.Unstructured) {
		add(object{"name": "more", "disk": object{"bus": "scsi"}}, "domain.devices.disks")(o)
		add(object{"name": "more", "dataVolume": object{"name": "more"}}, "volumes")(o)
	}
	noNIC = func(o *unstructured.Unstructured) {
		set([]any{}, "domain.devices.interfaces")(o)
		set([]any{}, "networks")(o)
	}
	hotNIC = func(o *unstructured.Unstructured) {
		add(object{"name": "more", "bridge": object{}}, "domain.devices.interfaces")(o)
		add(object{"name": "more", "multus": object{"networkName": "vlan8"}}, "networks")(o)
	}
)

func mildAttempts() []attempt {
	return []attempt{
		{name: "label", object: gated(nil), change: commit("", relabel(map[string]string{"tier": "web"}))},
		{name: "node selector", object: gated(nil), change: commit("", set(object{"zone": "b"}, "nodeSelector"))},
		{name: "pod label", object: gated(nil), change: commit("", podLabel)},
		{name: "another spelling", object: gated(nil), change: commit("", set("4096Mi", "domain.memory.guest"))},
		{name: "more sockets", object: gated(nil), change: commit("", sockets)},
		{name: "disk that is plugged", object: gated(nil), change: commit("", hotDisk)},
		{name: "NIC that is plugged", object: gated(nil), change: commit("", hotNIC)},
		{name: "restart of a VM whose fleet requires approvals of deletions", object: gated(map[string]string{approveFrom: "delete"}), change: commit("", cores)},
		{name: "restart of a stopped VM", object: with(gated(nil), "Halted", "spec", "runStrategy"), change: commit("", cores)},
		{name: "restart of a VM whose fleet requires none", object: gated(map[string]string{approveFrom: ""}), change: commit("", cores)},
	}
}

// guardedAttempts returns changes of all guarded levels.
func guardedAttempts() []attempt {
	const needs = " and needs an approval of "
	return []attempt{
		{name: "swap under a running guest", object: gated(nil), change: commit("restart="+token, func(o *unstructured.Unstructured) {
			with(o, []any{object{"name": "root", "dataVolume": object{"name": "other", "hotpluggable": true}}}, "spec", "template", "spec", "volumes")
		}), refused: "volumes[root] is of level recreate"},
		{name: "cores", object: gated(nil), change: commit("", cores), refused: "spec.template.spec.domain.cpu.cores is of level restart" + needs + "restart, which is missing; see vmrender plan, and add approve: {restart: " + token + "} to the VM"},
		{name: "field that is added", object: gated(nil), change: commit("", set(int64(60), "terminationGracePeriodSeconds")), refused: "terminationGracePeriodSeconds is of level restart"},
		{name: "field that goes", object: gated(nil), change: commit("", forgotten), refused: "evictionStrategy is of level restart"},
		{name: "map that is emptied", object: gated(nil), change: commit("", set(object{}, "domain.cpu")), refused: "domain.cpu."},
		{name: "fewer sockets", object: gated(nil), change: commit("", set(int64(1), "domain.cpu.sockets")), refused: "domain.cpu.sockets is of level restart"},
		{name: "disk that is not plugged", object: gated(nil), change: commit("", coldDisk), refused: "volumes[more] is of level restart"},
		{name: "NIC that goes", object: gated(nil), change: commit("", noNIC), refused: "interfaces[lan] is of level restart"},
		{name: "entry whose name is there twice", object: gated(nil), change: commit("", add(object{"name": "root", "disk": object{"bus": "sata"}}, "domain.devices.disks")), refused: "devices.disks[root] is of level restart"},
		{name: "instance type", object: gated(nil), change: commit("", func(o *unstructured.Unstructured) { with(o, object{"name": "u1.large"}, "spec", "instancetype") }), refused: "spec.instancetype is of level restart"},
		{name: "power", object: gated(nil), change: commit("", halt), refused: "spec.runStrategy is of level power" + needs + "restart"},
		{name: "power, in its older form", object: gated(nil), change: commit("", func(o *unstructured.Unstructured) {
			unstructured.RemoveNestedField(o.Object, "spec", "runStrategy")
			with(o, false, "spec", "running")
		}), refused: "spec.runStrategy is of level power"},
		{name: "new root disk", object: gated(nil), change: commit("", newRoot), refused: "volumes[root] is of level recreate" + needs + "delete"},
		{name: "live change, if those are guarded", object: gated(map[string]string{approveFrom: "live"}), change: commit("", set(object{"zone": "b"}, "nodeSelector")), refused: "nodeSelector is of level live" + needs + "restart"},
		{name: "migration, if those are guarded", object: gated(map[string]string{approveFrom: "migrate"}), change: commit("", sockets), refused: "sockets is of level"},
		{name: "pod label, if those are guarded", object: gated(map[string]string{approveFrom: "staged"}), change: commit("", podLabel), refused: "is of level staged" + needs + "restart"},
		{name: "level that nobody knows", object: gated(map[string]string{approveFrom: "reboot"}), change: commit("", hotNIC), refused: "interfaces[more] is of level"},
		{name: "change by an administrator", as: admin, object: gated(nil), change: commit("", cores), refused: needs + "restart"},
	}
}

func approvalAttempts() []attempt {
	return []attempt{
		{name: "approved restart", object: gated(nil), change: commit("restart="+token, cores, reserved)},
		{name: "approved power", object: gated(nil), change: commit("restart="+token, halt)},
		{name: "approved new disk", object: gated(nil), change: commit("delete="+token, newRoot)},
		{name: "approved new disk and restart", object: gated(nil), change: commit("delete="+token+",restart="+token, newRoot, cores)},
		{name: "restart, of a VM from before the gate", object: gated(map[string]string{becomes: ""}), change: commit("restart=none-"+target, cores)},
		{name: "approval of a restart for a new disk", object: gated(nil), change: commit("restart="+token, newRoot), refused: "needs an approval of delete, which is missing"},
		{name: "approval of a new disk for a restart", object: gated(nil), change: commit("delete="+token, newRoot, cores), refused: "needs an approval of restart, which is missing"},
		{name: "approval of lost data for a restart", object: gated(nil), change: commit("data="+token, cores), refused: "needs an approval of restart, which is missing"},
		{name: "approval of another change", object: gated(nil), change: commit("restart="+base+"-33333333", cores), refused: "restart=" + base + "-33333333 is for another change"},
		{name: "approval of another base", object: gated(nil), change: commit("restart=33333333-"+target, cores), refused: "restart=33333333-" + target + " is for another base"},
		{name: "approval that is used up", object: gated(map[string]string{approved: "restart=00000000-" + base}), change: commit("restart=00000000-"+base, cores), refused: "restart=00000000-" + base + " is used up"},
		{name: "change manually after an approval", as: developer, object: gated(map[string]string{approved: "restart=00000000-" + base}), change: cores, refused: "is used up"},
		{name: "part of an approval", object: gated(nil), change: commit("restart="+token+"0,no-restart="+token, cores), refused: "needs an approval of restart"},
		{name: "approval without what the VM becomes", object: gated(nil), change: commit("restart="+base+"-", annotation(becomes, ""), cores), refused: "which only what vmrender renders can have"},
	}
}

// weakeningAttempts returns attempts that switch off the gate or parts of it, and use
// that in the same request.
func weakeningAttempts() []attempt {
	const less = "the gate becomes less strict and needs an approval of gate"
	return []attempt{
		{name: "gate that is switched off", object: gated(nil), change: commit("gate="+token, annotation(approveFrom, ""), cores), refused: "needs an approval of restart"},
		{name: "gate that is lowered", object: gated(nil), change: commit("gate="+token, annotation(approveFrom, "data-loss"), cores), refused: "needs an approval of restart"},
		{name: "all annotations that go", object: gated(nil), change: func(o *unstructured.Unstructured) { o.SetAnnotations(nil); cores(o) }, refused: "which only what vmrender renders can have"},
		{name: "ceiling that is raised", object: gated(map[string]string{maxImpact: "live"}), change: commit("restart="+token, annotation(maxImpact, "delete"), cores), refused: "above the highest that is allowed, live"},
		{name: "gate that is switched off for later", object: gated(nil), change: commit("", annotation(approveFrom, "")), refused: less},
		{name: "gate that is lowered for later", object: gated(nil), change: commit("restart="+token, annotation(approveFrom, "power")), refused: less},
		{name: "gate that is lowered for later, with a change", object: gated(nil), change: commit("restart="+token, annotation(approveFrom, "power"), cores), refused: less},
		{name: "gate that is switched off by hand", as: developer, object: gated(nil), change: annotation(approveFrom, ""), refused: less},
		{name: "gate that has an unknown level", object: gated(nil), change: commit("", annotation(approveFrom, "seldom")), refused: less},
		{name: "ceiling that is raised for later", object: gated(map[string]string{maxImpact: "metadata"}), change: commit("", annotation(maxImpact, "live")), refused: less},
		{name: "ceiling that goes for later", object: gated(map[string]string{maxImpact: "live"}), change: commit("", annotation(maxImpact, "")), refused: less},
		{name: "all annotations that go for later", object: gated(nil), change: func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }, refused: "set policy.approve to none before you remove it"},
		{name: "gate that is lowered for later, approved", object: gated(nil), change: commit("gate="+token, annotation(approveFrom, "power"))},
		{name: "gate that is switched off, approved", object: gated(nil), change: commit("gate="+token, annotation(approveFrom, "none"))},
		{name: "gate that was switched off and goes", object: gated(map[string]string{approveFrom: "none"}), change: func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }},
		{name: "change after the gate was switched off", object: gated(map[string]string{approveFrom: "none"}), change: commit("", cores, newRoot)},
		{name: "gate that becomes stricter", object: gated(nil), change: commit("", annotation(approveFrom, "live"), annotation(maxImpact, "metadata"))},
	}
}

func stageAttempts() []attempt {
	staged := annotation(stage, "true")
	return []attempt{
		{name: "staged restart", object: gated(nil), change: commit("", staged, cores)},
		{name: "staged power", object: gated(nil), change: commit("", staged, cores, halt), refused: "spec.runStrategy is of level power"},
		{name: "staged new disk", object: gated(nil), change: commit("", staged, newRoot), refused: "is of level recreate"},
		{name: "staged other claim", object: gated(nil), change: commit("", staged, ofClaim("root", "root-1b")), refused: "volumes[root] is of level recreate"},
		{name: "staged disk of another name", object: gated(nil), change: commit("", staged, ofClaim("logs", "logs")), refused: "volumes[root] is of level recreate"},
		{name: "staged live change", object: gated(map[string]string{approveFrom: "live"}), change: commit("", staged, set(object{"zone": "b"}, "nodeSelector")), refused: "nodeSelector is of level live"},
		{name: "staged change that waits for a restart anyway", object: gated(map[string]string{approveFrom: "staged"}), change: commit("", staged, podLabel), refused: "is of level staged"},
		{name: "staged restart in a rollout", object: gated(nil), change: commit("", staged, cores, relabel(map[string]string{"vmrender.io/rollout": "shop"})), refused: "cores is of level restart"},
		{name: "machine that is staged no more", object: gated(map[string]string{stage: "true"}), change: commit("", annotation(stage, ""), cores), refused: "cores is of level restart"},
	}
}

func ceilingAttempts() []attempt {
	low := func(level string) *unstructured.Unstructured {
		return gated(map[string]string{maxImpact: level, approveFrom: ""})
	}
	return []attempt{
		{name: "approved change above the ceiling", object: gated(map[string]string{maxImpact: "staged"}), change: commit("restart="+token, cores), refused: "cores is of level restart, above the highest that is allowed, staged; no approval changes that"},
		{name: "change above the ceiling, without approvals", object: low("power"), change: commit("delete="+token, newRoot), refused: "above the highest that is allowed, power"},
		{name: "change below the ceiling", object: low("power"), change: commit("", halt)},
		{name: "live change above the lowest ceiling", object: low("metadata"), change: commit("", set(object{"zone": "b"}, "nodeSelector")), refused: "above the highest that is allowed, metadata"},
		{name: "label below the lowest ceiling", object: low("metadata"), change: commit("", relabel(map[string]string{"tier": "web"}))},
		{name: "staged change above the ceiling", object: gated(map[string]string{maxImpact: "staged"}), change: commit("", annotation(stage, "true"), cores), refused: "above the highest that is allowed, staged"},
	}
}

func deletionAttempts() []attempt {
	kept := map[string]string{syncOptions: "Delete=confirm,Prune=false"}
	and := func(more map[string]string) map[string]string {
		all := maps.Clone(kept)
		maps.Copy(all, more)
		return all
	}
	own := func(o *unstructured.Unstructured) *unstructured.Unstructured {
		unstructured.RemoveNestedField(o.Object, "spec", "dataVolumeTemplates")
		return o
	}
	const refused = "the deletion is of level data-loss and is not approved; commit lifecycle: {removal: approved}"
	return []attempt{
		{name: "deletion", object: gated(kept), remove: true, refused: refused},
		{name: "deletion by an administrator", as: admin, object: gated(kept), remove: true, refused: refused},
		{name: "deletion of a VM whose disks are kept", object: own(gated(kept)), remove: true, refused: "the deletion is of level delete"},
		{name: "deletion with an approval for a change", object: gated(and(map[string]string{approved: "data=" + token + ",delete=" + token})), remove: true, refused: refused},
		{name: "deletion after its removal is approved", object: gated(map[string]string{syncOptions: "Delete=confirm,Prune=true"}), remove: true},
		{name: "deletion of what is kept, if only lost data is guarded", object: own(gated(and(map[string]string{approveFrom: "data-loss"}))), remove: true},
		{name: "deletion of disks, if only lost data is guarded", object: gated(and(map[string]string{approveFrom: "data-loss"})), remove: true, refused: refused},
		{name: "deletion above the ceiling", object: gated(map[string]string{maxImpact: "recreate"}), remove: true, refused: "the deletion is of level data-loss, above the highest that is allowed, recreate"},
		{name: "deletion of a VM whose fleet requires no approvals", object: gated(and(map[string]string{approveFrom: ""})), remove: true},
		{name: "first commit of a removal", object: gated(kept), change: commit("", annotation(syncOptions, "Delete=confirm,Prune=true"))},
	}
}

// keptAttempts returns deletions of disks and claims.
func keptAttempts() []attempt {
	kept := func(o *unstructured.Unstructured, options string) *unstructured.Unstructured {
		labelled(o, map[string]string{"app.kubernetes.io/managed-by": "vmrender"})
		annotated(o, syncOptions, options)
		return o
	}
	claim := func() *unstructured.Unstructured {
		return newObject("v1", "PersistentVolumeClaim", "gated", object{
			"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}},
		})
	}
	const options, refused = "Prune=false", " has data that is kept; to delete it, remove its protection first: kubectl annotate "
	return []attempt{
		{name: "deletion of a kept disk", object: kept(disk("gated"), options), remove: true, refused: refused + "datavolumes"},
		{name: "deletion of a kept claim", as: admin, object: kept(claim(), options), remove: true, refused: refused + "persistentvolumeclaims"},
		{name: "deletion of a claim whose disk is gone", as: serviceAccount("kube-system", "generic-garbage-collector"), object: kept(claim(), options), remove: true},
		{name: "deletion of a disk that is not kept", object: kept(disk("gated"), ""), remove: true},
		{name: "deletion of a disk of others", object: with(disk("gated"), options, "metadata", "annotations", syncOptions), remove: true},
		{name: "deletion of a disk elsewhere", object: kept(disk("team"), options), remove: true},
	}
}

func poolAttempts() []attempt {
	pool := func() *unstructured.Unstructured {
		o := nodePool("gated")
		with(o, int64(3), "spec", "replicas")
		with(o, []any{template("root")}, "spec", "virtualMachineTemplate", "spec", "dataVolumeTemplates")
		o.SetAnnotations(map[string]string{approveFrom: "restart", becomes: base})
		return o
	}
	field := func(value any, path ...string) change {
		return func(o *unstructured.Unstructured) { with(o, value, append([]string{"spec"}, path...)...) }
	}
	fewer := field(int64(2), "replicas")
	scaled := func(name string, to int64, refused string) attempt {
		return attempt{name: name, object: pool(), subresource: "scale", change: field(to, "replicas"), refused: refused}
	}
	autoscaler := scaled("smaller pool by an exempt autoscaler", 2, "")
	autoscaler.as = kubeVirt
	vm := func(value any, path ...string) change {
		return field(value, append([]string{"virtualMachineTemplate", "spec"}, path...)...)
	}
	return []attempt{
		{name: "larger pool", object: pool(), change: commit("", field(int64(4), "replicas"))},
		{name: "smaller pool", object: pool(), change: commit("", fewer), refused: "spec.replicas is of level data-loss and needs an approval of data"},
		{name: "smaller pool with an approval of restarts", object: pool(), change: commit("restart="+token, fewer), refused: "needs an approval of data"},
		{name: "smaller pool, approved", object: pool(), change: commit("data="+token, fewer)},
		scaled("smaller pool by its number alone", 2, "fewer replicas delete VMs of the pool"),
		scaled("larger pool by its number alone", 4, ""),
		autoscaler,
		{name: "paused pool", object: pool(), change: commit("", field(true, "paused"))},
		{name: "other members", object: pool(), change: commit("", vm("8Gi", "template", "spec", "domain", "memory", "guest")), refused: "spec.virtualMachineTemplate.spec.template is of level restart"},
		{name: "other members, approved", object: pool(), change: commit("restart="+token, vm("8Gi", "template", "spec", "domain", "memory", "guest"))},
		{name: "other disks of members", object: pool(), change: commit("restart="+token, vm([]any{template("other")}, "dataVolumeTemplates")), refused: "dataVolumeTemplates is of level data-loss"},
		{name: "members that are off", object: pool(), change: commit("", vm("Halted", "runStrategy")), refused: "runStrategy is of level power"},
	}
}

// kubeVirtAttempts returns changes by KubeVirt's components, and by others with the same
// names.
func kubeVirtAttempts() []attempt {
	apiserver := serviceAccount("openshift-cnv", "kubevirt-apiserver")
	kept := map[string]string{syncOptions: "Prune=false"}
	var all []attempt
	for name, c := range map[string]change{"stop": halt, "plugged volume": coldDisk, "NIC that is taken out": noNIC, "expanded instance type": cores} {
		all = append(all, attempt{name: name + " by KubeVirt", as: apiserver, object: gated(nil), change: c})
	}
	slices.SortFunc(all, func(a, b attempt) int { return strings.Compare(a.name, b.name) })
	return append(all,
		attempt{name: "change by KubeVirt's controller", as: kubeVirt, object: gated(nil), change: cores},
		attempt{name: "deletion by KubeVirt's controller", as: kubeVirt, object: gated(kept), remove: true},
		attempt{name: "stop by one of the same name elsewhere", as: serviceAccount("gated", "kubevirt-apiserver"), object: gated(nil), change: halt, refused: "spec.runStrategy is of level power"},
	)
}

// started is the start time of the tests, so that attempts are the same whenever they are
// listed.
var started = time.Now()

func breakGlassAttempts() []attempt {
	until := func(d time.Duration) string { return started.Add(d).UTC().Format(time.RFC3339) }
	broken := func(text string) *unstructured.Unstructured {
		return gated(map[string]string{breakGlass: text, maxImpact: "power", syncOptions: "Prune=false"})
	}
	later := "outage 7; until " + until(time.Hour)
	const refused = "the annotation vmrender.io/break-glass is not valid, or no longer"
	return []attempt{
		{name: "break-glass", object: broken(later), change: commit("", cores), warning: "the gate lets every change pass by the annotation vmrender.io/break-glass: " + later},
		{name: "break-glass above the ceiling", object: broken(later), change: commit("", newRoot), warning: later},
		{name: "break-glass in another time zone", object: broken("outage; until " + started.Add(time.Hour).In(time.FixedZone("", 7200)).Format(time.RFC3339)), change: commit("", cores), warning: "outage"},
		{name: "break-glass that has ended", object: broken("outage 7; until " + until(-time.Minute)), change: commit("", cores), refused: refused},
		{name: "break-glass without a reason", object: broken("; until " + until(time.Hour)), change: commit("", cores), refused: refused},
		{name: "break-glass without an end", object: broken("outage 7"), change: commit("", cores), refused: refused},
		{name: "break-glass with a day that there is not", object: broken("outage; until 2999-02-31T00:00:00Z"), change: commit("", cores), refused: "type conversion error", warning: "type conversion error"},
		{name: "break-glass that comes with the change", object: gated(nil), change: commit("", annotation(breakGlass, later), cores), refused: "needs an approval of restart"},
		{name: "break-glass with a change that only takes away, which has no time", object: broken(later), change: forgotten, refused: refused},
		{name: "break-glass for a deletion, which has no time", object: broken(later), remove: true, refused: "the deletion is of level data-loss"},
	}
}
