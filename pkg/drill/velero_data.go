package drill

import (
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

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
	unknown = slices.Clone(b.unread)
	for _, policy := range b.policies {
		switch matchesPolicy(manifest.Map(policy, "conditions"), c) {
		case cluster.Yes:
			return manifest.Text(policy, "action", "type"), unknown
		case cluster.Unknown:
			unknown = append(unknown, "whether a volume policy in the ConfigMap "+b.policyName()+" matches "+c.name)
		}
	}
	if b.copiesByDefault() {
		return "fs-backup", unknown
	}
	return "snapshot", unknown
}

// readPolicies reads the volume policies of the backup.
func (b *velero) readPolicies() {
	name := manifest.Text(b.spec, "resourcePolicy", "name")
	if name == "" {
		return
	}
	config := b.d.either(kindConfigMap, b.namespace, name)
	if config == nil {
		b.unread = []string{"what the volume policies in the ConfigMap " + b.policyName() + " are: neither Git nor the " +
			"state in the cluster has it"}
	}
	b.policies = volumePolicies(config)
}

// policyName returns the name of the ConfigMap with the volume policies.
func (b *velero) policyName() string {
	return b.namespace + "/" + manifest.Text(b.spec, "resourcePolicy", "name")
}

func (b *velero) copiesByDefault() bool {
	if v, isSet := manifest.At(b.spec, "defaultVolumesToFsBackup").(bool); isSet {
		return v
	}
	return b.config("velero", "defaultVolumesToFSBackup") == true
}

// volumePolicies returns the policies in a ConfigMap, which has them as YAML under its only key.
func volumePolicies(config manifest.Tree) []any {
	data := manifest.Map(config, "data")
	if len(data) != 1 {
		return nil
	}
	for _, text := range data {
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
