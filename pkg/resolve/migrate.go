package resolve

import (
	"cmp"
	"strings"
	"time"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// hostProvider is the Provider that forklift's operator creates for its own cluster (kubev2v/forklift v2.12.5,
// operator/roles/forkliftcontroller/templates/controller/provider-host.yml.j2).
const hostProvider = "host"

// migrates reports whether the VM is, or was, in vSphere.
func (d *draft) migrates() bool { return d.vm.Migrate != nil && d.vm.Migrate.VM != "" }

// filledByMigration reports whether the migration fills a disk: one for which the user names no source, not even
// `blank`.
func (d *draft) filledByMigration(name string, in *values.Disk) bool {
	ownSource := in.Source != nil && !d.entry.FromOS("disks", name, "source")
	return d.migrates() && !values.IsTrue(in.Ejected) && in.Type != "cdrom" && !ownSource
}

// migration returns the migration of the VM, or nil if the VM does not come from vSphere.
func (d *draft) migration(m *machine.Machine) *machine.Migration {
	in := d.vm.Migrate
	if !d.migrates() {
		return nil
	}
	out := &machine.Migration{
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
func (d *draft) providers(in *values.Migrate) (from, to machine.NamespacedName) {
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
	return from, machine.NamespacedName{Namespace: from.Namespace, Name: hostProvider}
}

// namespacedName splits `namespace/name`. A name alone is in the namespace home.
func namespacedName(text, home string) machine.NamespacedName {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return machine.NamespacedName{Namespace: namespace, Name: name}
	}
	return machine.NamespacedName{Namespace: home, Name: text}
}

func (d *draft) transferNetwork(in *values.Migrate) *machine.NamespacedName {
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
