package drill

import (
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The kinds of Velero, and that of OADP with the settings of its Velero.
const (
	kindSchedule = "Schedule.velero.io"
	kindBackup   = "Backup.velero.io"
	kindOADP     = "DataProtectionApplication.oadp.openshift.io"
)

// The labels of Velero (v1.16, pkg/apis/velero/v1/labels_annotations.go).
const (
	labelSchedule = "velero.io/schedule-name"
	labelExclude  = "velero.io/exclude-from-backup"
)

// velero is what one backup takes (Velero v1.16, pkg/apis/velero/v1/backup_types.go, BackupSpec), with the settings of
// its server.
type velero struct {
	d         *driller
	namespace string // of the server
	spec      manifest.Tree
	server    manifest.Tree // DataProtectionApplication; nil if unknown
	state     answer        // of the backup as a whole: fails and doubts
}

func (d *driller) velero(e cluster.Entity, spec any) *velero {
	b := &velero{d: d, namespace: e.ID.Namespace, spec: tree(spec), state: kept}
	for _, state := range []*cluster.State{d.git, d.Live} {
		for _, s := range state.Of(kindOADP, e.ID.Namespace) {
			b.server = s.Object
		}
	}
	return b
}

// schedule reads a Schedule.
func (d *driller) schedule(e cluster.Entity) func(*claim) answer {
	b := d.velero(e, manifest.At(e.Object, "spec", "template"))
	status := manifest.At(e.Object, "status")
	switch {
	case manifest.At(e.Object, "spec", "paused") == true:
		b.state = fails("is paused")
	case manifest.Text(status, "phase") == "FailedValidation":
		b.state = fails("is invalid, so it takes no backups")
	case status != nil && manifest.Text(status, "lastBackup") == "":
		b.state = doubts("whether the " + named(e.ID) + " has taken a backup: its status has none")
	default:
		b.state = d.lastBackups(e)
	}
	return b.covers
}

// lastBackups returns whether one of the backups of a Schedule is complete.
func (d *driller) lastBackups(e cluster.Entity) answer {
	isAny := false
	for _, backup := range d.Live.Of(kindBackup, e.ID.Namespace) {
		if manifest.Text(backup.Object, "metadata", "labels", labelSchedule) != e.ID.Name {
			continue
		}
		if manifest.Text(backup.Object, "status", "phase") == "Completed" {
			return kept
		}
		isAny = true
	}
	if isAny {
		return doubts("what the backups of the " + named(e.ID) + " contain: none of them is Completed")
	}
	return kept
}

// backupPhases are the phases of backups that are not complete and can contain a disk, or not yet. One without a phase
// is in Git alone.
var backupPhases = []string{
	"New", "InProgress", "WaitingForPluginOperations", "WaitingForPluginOperationsPartiallyFailed", "Finalizing",
	"FinalizingPartiallyFailed", "PartiallyFailed",
}

// backup reads a Backup. Those of a Schedule count with it.
func (d *driller) backup(e cluster.Entity) func(*claim) answer {
	by := manifest.Text(e.Object, "metadata", "labels", labelSchedule)
	if by != "" && d.either(kindSchedule, e.ID.Namespace, by) != nil {
		return nil
	}
	b := d.velero(e, manifest.At(e.Object, "spec"))
	switch phase := manifest.Text(e.Object, "status", "phase"); {
	case slices.Contains(backupPhases, phase):
		b.state = doubts("what the " + named(e.ID) + " contains: it is " + phase)
	case phase != "" && phase != "Completed":
		b.state = fails("is " + phase)
	}
	return b.covers
}

// covers returns what the backup does for a disk.
func (b *velero) covers(c *claim) answer {
	route := b.selects(c)
	switch {
	case route == nil || !b.hasNamespace(c.namespace):
		return answer{}
	case b.state.fails != "":
		return b.state
	case c.labels[labelExclude] == "true":
		return fails("leaves it out, because of its label " + labelExclude)
	}
	for _, resource := range route {
		if !b.hasResource(resource) {
			return fails("leaves out " + resource + resourceRole[resource])
		}
	}
	moved := b.moves(c)
	if len(route) > 1 {
		moved = moved.and(b.plugin())
	}
	return moved.and(b.state)
}

// and returns the answer of a shield that needs two things.
func (a answer) and(other answer) answer {
	if a.fails != "" {
		return a
	}
	if other.fails != "" {
		return other
	}
	return doubts(slices.Concat(a.doubts, other.doubts)...)
}

// The resources that a backup of a disk needs.
const (
	claims    = "persistentvolumeclaims"
	machines  = "virtualmachines"
	instances = "virtualmachineinstances"
	pods      = "pods"
)

// resourceRole is why a backup that selects a VM needs a resource: KubeVirt's plugin refuses VMs that run without their
// instance and pod (kubevirt-velero-plugin v0.8, pkg/plugin/vm_backup_item_action.go, canBeSafelyBackedUp).
var resourceRole = map[string]string{
	instances: ", so KubeVirt's plugin refuses VMs that run", pods: ", so KubeVirt's plugin refuses VMs that run",
}

// selects returns the resources by which the backup comes to a disk, or nil. KubeVirt's plugin adds the claims of a VM
// to it, also that with the state of its TPM, regardless of their labels (kubevirt-velero-plugin v0.8,
// pkg/util/kvgraph/util.go, addVolumeGraph).
func (b *velero) selects(c *claim) []string {
	if b.selectsLabels(c.labels) {
		return []string{claims}
	}
	if c.vm == nil {
		return nil
	}
	own := labelsOf(c.vm.is())
	if b.selectsLabels(own) && own[labelExclude] != "true" {
		return []string{claims, machines, instances, pods}
	}
	return nil
}

func (b *velero) selectsLabels(labels manifest.Tree) bool {
	one, several := manifest.At(b.spec, "labelSelector"), manifest.List(b.spec, "orLabelSelectors")
	if one == nil && len(several) == 0 {
		return true
	}
	return cluster.Selects(one, labels) ||
		slices.ContainsFunc(several, func(s any) bool { return cluster.Selects(s, labels) })
}

// hasNamespace reports whether the backup has the objects of a namespace.
func (b *velero) hasNamespace(namespace string) bool {
	matches := func(pattern any) bool {
		s, _ := pattern.(string)
		is, err := path.Match(s, namespace)
		return is && err == nil
	}
	included := manifest.List(b.spec, "includedNamespaces")
	return (len(included) == 0 || slices.ContainsFunc(included, matches)) &&
		!slices.ContainsFunc(manifest.List(b.spec, "excludedNamespaces"), matches)
}

// hasResource reports whether the backup has the objects of a resource.
func (b *velero) hasResource(resource string) bool {
	for _, field := range []string{"Resources", "NamespaceScopedResources"} {
		included := manifest.List(b.spec, "included"+field)
		isIncluded := len(included) == 0 || slices.ContainsFunc(included, isResource(resource))
		if !isIncluded || slices.ContainsFunc(manifest.List(b.spec, "excluded"+field), isResource(resource)) {
			return false
		}
	}
	return true
}

// shortNames are other names of resources that Velero accepts: it finds them as kubectl does.
var shortNames = map[string]string{
	"pvc": claims, "persistentvolumeclaim": claims, "vm": machines, "vms": machines, "virtualmachine": machines,
	"vmi": instances, "vmis": instances, "virtualmachineinstance": instances, "po": pods, "pod": pods,
}

// isResource returns a function that reports whether a name, with or without its group, is that of a resource.
func isResource(resource string) func(any) bool {
	return func(v any) bool {
		s, _ := v.(string)
		name, _, _ := strings.Cut(strings.ToLower(s), ".")
		return name == "*" || name == resource || shortNames[name] == resource
	}
}

// config returns a setting of OADP (v1.4, api/v1alpha1/dataprotectionapplication_types.go), or nil.
func (b *velero) config(path ...string) any {
	return manifest.At(b.server, append([]string{"spec", "configuration"}, path...)...)
}

// plugin returns whether the server has the plugin of KubeVirt.
func (b *velero) plugin() answer {
	if b.server == nil {
		return doubts("whether the Velero of " + b.namespace + " has KubeVirt's plugin: it has no DataProtectionApplication")
	}
	plugins := manifest.List(b.config("velero"), "defaultPlugins")
	if slices.Contains(plugins, any("kubevirt")) || len(manifest.List(b.config("velero"), "customPlugins")) > 0 {
		return kept
	}
	return fails("selects the VM, but OADP does not have the plugin kubevirt, which adds its disks")
}

// moves returns whether the backup brings the content of a disk to its storage location.
func (b *velero) moves(c *claim) answer {
	action, unknown := b.action(c)
	switch {
	case len(unknown) > 0:
		return doubts(unknown...)
	case action == "skip":
		return fails("skips it by its volume policy")
	case action == "fs-backup":
		return b.copiesFiles(c)
	case action == "snapshot":
		return b.movesSnapshots()
	}
	return doubts("what the action " + action + " of a volume policy does")
}

// movesSnapshots returns whether the backup brings snapshots to its storage location. Velero does this only on request
// (v1.16, pkg/cmd/server/config, DefaultSnapshotMoveData).
func (b *velero) movesSnapshots() answer {
	moved, isSet := manifest.At(b.spec, "snapshotMoveData").(bool)
	if !isSet {
		moved, isSet = b.config("velero", "defaultSnapshotMoveData").(bool)
	}
	const stay = "takes snapshots that stay at this site: `snapshotMoveData` is not true"
	switch {
	case manifest.At(b.spec, "snapshotVolumes") == false:
		return fails("takes no snapshots of volumes (`snapshotVolumes: false`)")
	case isSet && !moved, !isSet && b.server != nil:
		return fails(stay)
	case !isSet:
		return doubts("whether the Velero of " + b.namespace + " moves the data of snapshots by default")
	case b.server == nil:
		return kept
	case b.config("nodeAgent", "enable") != true:
		return fails("cannot move data: OADP runs no node agent (`nodeAgent.enable`)")
	case !slices.Contains(manifest.List(b.config("velero"), "defaultPlugins"), any("csi")):
		return fails("takes no snapshots: OADP does not have the plugin csi")
	}
	return kept
}

// copiesFiles returns whether the backup copies the files of a disk: it does so in the pods that run (Velero v1.16,
// pkg/podvolume/backupper.go), and not for block devices.
func (b *velero) copiesFiles(c *claim) answer {
	mode := ""
	for _, at := range [][]string{{"spec"}, {"spec", "storage"}, {"spec", "pvc"}} {
		if s := manifest.Text(c.object, append(at, "volumeMode")...); s != "" {
			mode = s
		}
	}
	isRunning := cluster.Unknown
	if c.vm != nil && c.vm.live != nil {
		isRunning = b.d.Live.Machine(c.vm.id).Running
	}
	switch {
	case mode == "Block":
		return fails("copies files, and the disk is a block device")
	case isRunning == cluster.No:
		return fails("copies the files of pods that run, and the VM does not run")
	case mode == "":
		return doubts("whether " + c.name + " is a block device, of which a backup of files has nothing")
	}
	return kept
}

// action returns what the backup does with the content of a disk: the action of the first volume policy that matches,
// or else that of the backup (Velero v1.16, internal/resourcepolicies/resource_policies.go).
func (b *velero) action(c *claim) (action string, unknown []string) {
	name := manifest.Text(b.spec, "resourcePolicy", "name")
	action = "snapshot"
	if b.copiesByDefault() {
		action = "fs-backup"
	}
	if name == "" {
		return action, nil
	}
	config := b.d.either(kindConfigMap, b.namespace, name)
	if config == nil {
		return action, []string{"what the volume policies in the ConfigMap " + b.namespace + "/" + name + " are: " +
			"neither Git nor the state in the cluster has it"}
	}
	for _, policy := range volumePolicies(config) {
		switch matchesPolicy(manifest.Map(policy, "conditions"), c) {
		case cluster.Yes:
			return manifest.Text(policy, "action", "type"), unknown
		case cluster.Unknown:
			unknown = append(unknown, "whether a volume policy in the ConfigMap "+b.namespace+"/"+name+" matches "+c.name)
		}
	}
	return action, unknown
}

func (b *velero) copiesByDefault() bool {
	if v, isSet := manifest.At(b.spec, "defaultVolumesToFsBackup").(bool); isSet {
		return v
	}
	return b.config("velero", "defaultVolumesToFSBackup") == true
}

// volumePolicies returns the policies in a ConfigMap, which has them as YAML under one key.
func volumePolicies(config manifest.Tree) []any {
	for _, text := range manifest.Map(config, "data") {
		s, _ := text.(string)
		var doc manifest.Tree
		if yaml.Unmarshal([]byte(s), &doc) == nil {
			return manifest.List(doc, "volumePolicies")
		}
	}
	return nil
}

// matchesPolicy returns whether all conditions of a volume policy hold for a disk. Those on its volume are unknown.
func matchesPolicy(conditions manifest.Tree, c *claim) cluster.Truth {
	out := cluster.Yes
	for field, want := range conditions {
		is := cluster.Unknown
		switch field {
		case "storageClass":
			is = c.hasClass(want)
		case "pvcLabels":
			is = cluster.Known(cluster.Selects(manifest.Tree{"matchLabels": want}, c.labels))
		}
		if is == cluster.No {
			return cluster.No
		}
		if is == cluster.Unknown {
			out = cluster.Unknown
		}
	}
	return out
}

// hasClass reports whether the storage class of a disk is in a list.
func (c *claim) hasClass(list any) cluster.Truth {
	classes, _ := list.([]any)
	for _, at := range [][]string{{"spec"}, {"spec", "storage"}, {"spec", "pvc"}} {
		if class := manifest.Text(c.object, append(at, "storageClassName")...); class != "" {
			return cluster.Known(slices.Contains(classes, any(class)))
		}
	}
	return cluster.Unknown
}
