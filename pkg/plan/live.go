package plan

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// live is the state in the cluster; nil if unknown.
type live struct {
	byKey  map[key]tree
	byKind map[string][]entity // by kind with its group; by namespace and name
	// covered are the kinds of which the export has an object, by namespace: an object
	// that it does not have does not exist.
	covered map[key]bool
	secrets map[key]tree                  // only to compare those of VMs that are adopted
	disks   map[key][]string              // those that belong to a VM; see owned
	sticky  bool                          // KubeVirt keeps a need of a restart; see [Cluster.keepsRestart]
	newest  string                        // the newest timestamp of the export, RFC 3339
	memory  map[string]*resource.Quantity // of nodes, what is free; see freeMemory
}

// entity is an object in the cluster.
type entity struct {
	id     manifest.ID
	object tree
}

// readLive returns the state that an export has. Secrets are apart: nothing depends on
// them that could be shown.
func readLive(objects []manifest.Object) *live {
	if objects == nil {
		return nil
	}
	l := &live{
		byKey: map[key]tree{}, byKind: map[string][]entity{}, covered: map[key]bool{}, secrets: map[key]tree{},
		newest: Exported(objects),
	}
	for _, o := range objects {
		object := manifest.Decode(o.JSON)
		k := keyOf(o.ID)
		if object == nil {
			continue
		}
		if kindOf(o.ID) == kindSecret {
			l.secrets[k] = object
			continue
		}
		l.byKey[k] = object
		l.covered[key{k.group, k.kind, k.namespace, ""}] = true
		l.byKind[kindOf(o.ID)] = append(l.byKind[kindOf(o.ID)], entity{o.ID, object})
	}
	for _, all := range l.byKind {
		slices.SortFunc(all, func(a, b entity) int { return a.id.Compare(b.id) })
	}
	l.readOwners()
	return l
}

// object returns an object in the cluster, or nil.
func (l *live) object(id manifest.ID) tree {
	if l == nil {
		return nil
	}
	return l.byKey[keyOf(id)]
}

// get returns an object by its kind with its group, or nil.
func (l *live) get(kind, namespace, name string) tree {
	if l == nil {
		return nil
	}
	short, group, _ := strings.Cut(kind, ".")
	return l.byKey[key{group, short, namespace, name}]
}

// secret returns a Secret in the cluster, or nil.
func (l *live) secret(namespace, name string) tree {
	if l == nil {
		return nil
	}
	return l.secrets[key{"", "Secret", namespace, name}]
}

// of returns the objects of a kind in a namespace.
func (l *live) of(kind, namespace string) []entity {
	if l == nil {
		return nil
	}
	all := l.byKind[kind]
	from, _ := slices.BinarySearchFunc(all, namespace, func(e entity, ns string) int {
		return cmp.Compare(e.id.Namespace, ns)
	})
	to := from
	for to < len(all) && all[to].id.Namespace == namespace {
		to++
	}
	return all[from:to]
}

// lacks reports whether the export shows that an object does not exist: it has others
// of the kind in the namespace.
func (l *live) lacks(id manifest.ID) bool {
	return l != nil && l.object(id) == nil && l.covered[key{id.Group(), id.Kind, id.Namespace, ""}]
}

// The kinds in the cluster that only the state has.
const (
	kindInstance     = "VirtualMachineInstance.kubevirt.io"
	kindMigration    = "VirtualMachineInstanceMigration.kubevirt.io"
	kindSnapshot     = "VirtualMachineSnapshot.snapshot.kubevirt.io"
	kindRestore      = "VirtualMachineRestore.snapshot.kubevirt.io"
	kindBackup       = "VirtualMachineBackup.backup.kubevirt.io"
	kindTracker      = "VirtualMachineBackupTracker.backup.kubevirt.io"
	kindLease        = "Lease.coordination.k8s.io"
	kindApplication  = "Application.argoproj.io"
	kindQuota        = "ResourceQuota"
	kindNode         = "Node"
	kindStorageClass = "StorageClass.storage.k8s.io"
	kindKubeVirt     = "KubeVirt.kubevirt.io"
	kindHCO          = "HyperConverged.hco.kubevirt.io"
)

// condition returns a condition of an object's status, or nil.
func condition(object tree, kind string) tree {
	for _, c := range manifest.List(object, "status", "conditions") {
		if manifest.Text(c, "type") == kind {
			c, _ := c.(tree)
			return c
		}
	}
	return nil
}

// is returns whether an object has a condition.
func is(object tree, kind string) truth {
	switch manifest.Text(condition(object, kind), "status") {
	case "True":
		return yes
	case "False":
		return no
	}
	return unknown
}
