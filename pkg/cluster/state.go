package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// State is the state in the cluster; nil if unknown.
type State struct {
	byKey  map[Key]manifest.Tree
	ByKind map[string][]Entity // by kind with its group; by namespace and name
	// covered are the kinds of which the export has an object, by namespace: an object
	// that it does not have does not exist.
	covered map[Key]bool
	Secrets map[Key]manifest.Tree         // only to compare those of VMs that are adopted
	disks   map[Key][]string              // those that belong to a VM; see owned
	Sticky  bool                          // KubeVirt keeps a need of a restart; see [Settings.keepsRestart]
	newest  time.Time                     // see newestTime
	memory  map[string]*resource.Quantity // of nodes, what is free; see freeMemory
}

// Entity is an object in the cluster.
type Entity struct {
	ID     manifest.ID
	Object manifest.Tree
}

// Read returns the state that an export has. Secrets are apart: nothing depends on
// them that could be shown. Of an object that is there twice, as in two API versions, the last one counts.
func Read(objects []manifest.Object) *State {
	if objects == nil {
		return nil
	}
	l := &State{
		byKey: map[Key]manifest.Tree{}, ByKind: map[string][]Entity{}, covered: map[Key]bool{},
		Secrets: map[Key]manifest.Tree{},
	}
	for _, o := range objects {
		object := o.Tree()
		k := KeyOf(o.ID)
		if object == nil {
			continue
		}
		if KindOf(o.ID) == KindSecret {
			l.Secrets[k] = object
			continue
		}
		again := l.byKey[k] != nil
		l.byKey[k] = object
		l.covered[Key{k.group, k.kind, k.namespace, ""}] = true
		all := l.ByKind[KindOf(o.ID)]
		if again { // in the version that Git has
			all = slices.DeleteFunc(all, func(e Entity) bool { return KeyOf(e.ID) == k })
		}
		l.ByKind[KindOf(o.ID)] = append(all, Entity{o.ID, object})
	}
	for _, all := range l.ByKind {
		slices.SortFunc(all, func(a, b Entity) int { return a.ID.Compare(b.ID) })
	}
	l.readOwners()
	return l
}

// Object returns an object in the cluster, or nil.
func (l *State) Object(id manifest.ID) manifest.Tree {
	if l == nil {
		return nil
	}
	return l.byKey[KeyOf(id)]
}

// Get returns an object by its kind with its group, or nil.
func (l *State) Get(kind, namespace, name string) manifest.Tree {
	if l == nil {
		return nil
	}
	short, group, _ := strings.Cut(kind, ".")
	return l.byKey[Key{group, short, namespace, name}]
}

// Secret returns a Secret in the cluster, or nil.
func (l *State) Secret(namespace, name string) manifest.Tree {
	if l == nil {
		return nil
	}
	return l.Secrets[Key{"", "Secret", namespace, name}]
}

// Of returns the objects of a kind in a namespace.
func (l *State) Of(kind, namespace string) []Entity {
	if l == nil {
		return nil
	}
	all := l.ByKind[kind]
	from, _ := slices.BinarySearchFunc(all, namespace, func(e Entity, ns string) int {
		return cmp.Compare(e.ID.Namespace, ns)
	})
	to := from
	for to < len(all) && all[to].ID.Namespace == namespace {
		to++
	}
	return all[from:to]
}

// Covers reports whether the export has objects of a kind in a namespace: an object that it does not have does not
// exist.
func (l *State) Covers(group, kind, namespace string) bool {
	return l.covered[Key{group, kind, namespace, ""}]
}

// Lacks reports whether the export shows that an object does not exist: it has others
// of the kind in the namespace.
func (l *State) Lacks(id manifest.ID) bool {
	return l != nil && l.Object(id) == nil && l.Covers(id.Group(), id.Kind, id.Namespace)
}

// The kinds in the cluster that only the state has.
const (
	KindInstance     = "VirtualMachineInstance.kubevirt.io"
	KindMigration    = "VirtualMachineInstanceMigration.kubevirt.io"
	KindSnapshot     = "VirtualMachineSnapshot.snapshot.kubevirt.io"
	KindRestore      = "VirtualMachineRestore.snapshot.kubevirt.io"
	KindBackup       = "VirtualMachineBackup.backup.kubevirt.io"
	KindTracker      = "VirtualMachineBackupTracker.backup.kubevirt.io"
	KindLease        = "Lease.coordination.k8s.io"
	kindApplication  = "Application.argoproj.io"
	KindQuota        = "ResourceQuota"
	KindNode         = "Node"
	KindStorageClass = "StorageClass.storage.k8s.io"
	KindKubeVirt     = "KubeVirt.kubevirt.io"
	kindHCO          = "HyperConverged.hco.kubevirt.io"
)

// Condition returns a condition of an object's status, or nil.
func Condition(object manifest.Tree, kind string) manifest.Tree {
	for _, c := range manifest.List(object, "status", "conditions") {
		if manifest.Text(c, "type") == kind {
			c, _ := c.(manifest.Tree)
			return c
		}
	}
	return nil
}

// Is returns whether an object has a condition.
func Is(object manifest.Tree, kind string) Truth {
	switch manifest.Text(Condition(object, kind), "status") {
	case "True":
		return Yes
	case "False":
		return No
	}
	return Unknown
}

// Age returns how long before the newest timestamp of the export a time was.
func (l *State) Age(timestamp string) (time.Duration, bool) {
	then, err := time.Parse(time.RFC3339, timestamp)
	now := l.newestTime()
	return max(now.Sub(then), 0), err == nil && !now.IsZero()
}

// newestTime returns the newest timestamp of the export; see [Exported]. It looks for it when it is asked first.
func (l *State) newestTime() time.Time {
	if l.newest.IsZero() {
		for _, objects := range []map[Key]manifest.Tree{l.byKey, l.Secrets} {
			for _, object := range objects {
				latest(object, "", &l.newest)
			}
		}
	}
	return l.newest
}
