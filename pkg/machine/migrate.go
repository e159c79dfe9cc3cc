package machine

import (
	"cmp"
	"strings"
	"time"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

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

// hostProvider is the Provider that forklift's operator creates for its own cluster (kubev2v/forklift v2.12.5,
// operator/roles/forkliftcontroller/templates/controller/provider-host.yml.j2).
const hostProvider = "host"

// longestPlan leaves room for the number of a run, so that the names are values of labels.
const longestPlan = values.MaxName - len("-20")

// migrates reports whether the VM is, or was, in vSphere.
func (d *draft) migrates() bool { return d.vm.Migrate != nil && d.vm.Migrate.VM != "" }

// filledByMigration reports whether the migration fills a disk: one for which the user names no source, not even
// `blank`.
func (d *draft) filledByMigration(name string, in *values.Disk) bool {
	ownSource := in.Source != nil && !d.entry.FromOS("disks", name, "source")
	return d.migrates() && !values.IsTrue(in.Ejected) && in.Type != "cdrom" && !ownSource
}

// migration returns the migration of the VM, or nil if the VM does not come from vSphere.
func (d *draft) migration(m *Machine) *Migration {
	in := d.vm.Migrate
	if !d.migrates() {
		d.checkNoMigration()
		return nil
	}
	out := &Migration{
		Plan: cmp.Or(in.Plan, d.name), VM: vSphereRef(d.expand(in.VM, "migrate", "vm"), values.IsManagedObject),
		Warm: values.IsTrue(in.Warm), Cutover: inUTC(in.Cutover), PowerState: in.PowerState,
		PreserveStaticIPs: in.PreserveStaticIPs == nil || *in.PreserveStaticIPs,
		Cancel:            values.IsTrue(in.Cancel), Done: values.IsTrue(in.Done),
	}
	if in.Run != nil {
		out.Run = *in.Run
	}
	out.Disks = d.migratedDisks(m)
	if !out.Ended() {
		out.Provider, out.Destination = d.providers(in)
		out.TransferNetwork = d.transferNetwork(in)
		out.Networks, out.Storage = d.mappedNetworks(m), d.mappedStorage(m)
	}
	out.Hooks = d.migrationHooks(in.Hooks)
	d.checkMigration(out)
	d.warnOfIdentity(m, out)
	return out
}

// inUTC returns a time in UTC. Any other string was reported, and is returned as it is.
func inUTC(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.UTC().Format(time.RFC3339)
}

// providers returns the Provider of vSphere and that of the cluster.
func (d *draft) providers(in *values.Migrate) (from, to NamespacedName) {
	if in.Provider == "" {
		d.errorf(d.entry.KeyAt("migrate", "vm"), rule.MissingKey, "migrate.provider",
			"missing provider; expected the Provider of vSphere, as name or namespace/name; "+
				"`defaults: {migrate: {provider: NAME}}` is for all VMs")
		return from, to
	}
	home := "openshift-mtv"
	if d.site.Target.Plain() {
		home = "konveyor-forklift"
	}
	from = namespacedName(in.Provider, home)
	for _, part := range []string{from.Namespace, from.Name} {
		if problem := values.NameProblem(part); problem != "" {
			d.errorf(d.entry.At("migrate", "provider"), rule.BadName, "migrate.provider", "%s", problem)
		}
	}
	return from, NamespacedName{from.Namespace, hostProvider}
}

// namespacedName splits `namespace/name`. A name alone is in the namespace home.
func namespacedName(text, home string) NamespacedName {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return NamespacedName{namespace, name}
	}
	return NamespacedName{home, text}
}

func (d *draft) transferNetwork(in *values.Migrate) *NamespacedName {
	name := in.TransferNetwork
	if name == "" {
		return nil
	}
	at := d.entry.At("migrate", "transferNetwork")
	switch known := d.site.Catalog.Network(name); {
	case known != nil && known.Pod:
		return nil
	case known != nil:
		return new(namespacedName(known.NAD, d.namespace))
	case !strings.Contains(name, "/"):
		d.errorf(at, rule.UnknownName, "migrate.transferNetwork", "%s", d.site.Catalog.UnknownNetwork(name))
	}
	return new(namespacedName(name, d.namespace))
}

// HookSteps are the keys of hooks, in the order in which they run.
var HookSteps = [...]string{"pre", "post"}
