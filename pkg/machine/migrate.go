package machine

// Migration is the migration of a VM from vSphere, with all values resolved.
type Migration struct {
	Plan              string
	VM                VSphereRef
	Provider          NamespacedName // of vSphere
	Destination       NamespacedName // provider of the cluster itself
	Warm              bool
	Run               int    // number of Migrations
	Cutover           string // RFC 3339 in UTC, as forklift writes it, or ""
	PowerState        string // on or off, or "" for that in vSphere
	PreserveStaticIPs bool
	TransferNetwork   *NamespacedName // nil for the pod network
	Cancel, Done      bool

	Hooks    []MigrationHook // at most one of each step
	Disks    []MigratedDisk  // in the order of vSphere
	Networks []MappedNetwork
	Storage  []MappedStorage
}

// NamespacedName names an object in a namespace.
type NamespacedName struct{ Namespace, Name string }

// VSphereRef names an object of vSphere: by its managed object ID, or else by its name or path.
type VSphereRef struct{ ID, Name string }

// MigratedDisk is a disk that a migration copies.
type MigratedDisk struct{ Claim, Volume string }

// MappedNetwork maps NICs on a network of vSphere to one of the cluster.
type MappedNetwork struct {
	Source VSphereRef
	NAD    *NamespacedName // nil for the pod network
}

// MappedStorage maps disks on a datastore to a storage class.
type MappedStorage struct {
	Source                        VSphereRef
	Class, AccessMode, VolumeMode string
}

// Ended reports whether the migration is over and tidied up: no run is left in Git, so none of its objects is rendered.
func (m *Migration) Ended() bool { return m.Done && m.Run == 0 }

// Pending reports whether the VM is still in vSphere, so that none of its own objects is rendered.
func (m *Migration) Pending() bool { return m != nil && !m.Done }

// MigrationHook is what forklift runs before or after a VM moves.
type MigrationHook struct {
	Step           string // pre or post
	Image          string
	Playbook       string // text, or "" if the image runs what it has
	ServiceAccount string // or "" for that of forklift
	Deadline       int    // in seconds; 0 for none
}

// HookSteps are the keys of hooks, in the order in which they run.
var HookSteps = [...]string{"pre", "post"}
