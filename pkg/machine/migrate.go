package machine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Migration is the migration of a machine from vSphere, with all values resolved.
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

// MappedNetwork leads NICs on a network of vSphere to one of the cluster.
type MappedNetwork struct {
	Source VSphereRef
	NAD    *NamespacedName // nil for the pod network
}

// MappedStorage leads disks on a datastore to a storage class.
type MappedStorage struct {
	Source                        VSphereRef
	Class, AccessMode, VolumeMode string
}

// Ended reports whether the migration is over and tidied up: no run is left in Git, so none of its objects is rendered.
func (m *Migration) Ended() bool { return m.Done && m.Run == 0 }

// Pending reports whether the machine is still in vSphere, so that none of its own objects is rendered.
func (m *Migration) Pending() bool { return m != nil && !m.Done }

// hostProvider is the Provider that forklift's operator makes for its own cluster (kubev2v/forklift v2.12.5,
// operator/roles/forkliftcontroller/templates/controller/provider-host.yml.j2).
const hostProvider = "host"

// longestClaim is the length of a claim's name with which forklift's and CDI's names that contain it have 63 characters
// (kubev2v/forklift v2.12.5, pkg/apis/forklift/v1beta1/plan.go, PVCNameTemplate).
const longestClaim = 46

// longestPlan leaves room for the number of a run, so that the names are values of labels.
const longestPlan = values.MaxName - len("-20")

// migrates reports whether the VM is, or was, in vSphere.
func (d *draft) migrates() bool { return d.vm.Migrate != nil && d.vm.Migrate.VM != "" }

// filledByMigration reports whether the migration fills a disk: one for which the user names no source, not even
// `blank`.
func (d *draft) filledByMigration(name string, in *values.Disk) bool {
	ownSource := in.Source != nil && !d.entry.FromOS("disks", name, "source")
	return d.migrates() && !isTrue(in.Ejected) && in.Type != "cdrom" && !ownSource
}

// migration returns the migration of the machine, or nil if it is none of vSphere.
func (d *draft) migration(m *Machine) *Migration {
	in := d.vm.Migrate
	if !d.migrates() {
		d.checkNoMigration()
		return nil
	}
	out := &Migration{
		Plan: cmp.Or(in.Plan, d.name), VM: vSphereRef(d.expand(in.VM, "migrate", "vm"), values.IsManagedObject),
		Warm: isTrue(in.Warm), Cutover: inUTC(in.Cutover), PowerState: in.PowerState,
		PreserveStaticIPs: in.PreserveStaticIPs == nil || *in.PreserveStaticIPs,
		Cancel:            isTrue(in.Cancel), Done: isTrue(in.Done),
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

// inUTC returns a time in UTC. Any other text was reported, and is returned as it is.
func inUTC(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.UTC().Format(time.RFC3339)
}

// checkNoMigration reports keys for one machine without the VM that they are about.
func (d *draft) checkNoMigration() {
	for _, key := range []string{"cancel", "disks", "done"} {
		if n := d.entry.Keys.Get("migrate", key); n.IsSet() && d.entry.Own(n) {
			d.errorf(d.entry.KeyAt("migrate", key), rule.MissingKey, "migrate.vm",
				"missing VM, which %q is about; expected its managed object ID in vSphere, such as \"vm-1234\"", key)
		}
	}
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

// managedObject matches the IDs that vSphere gives networks and datastores.
var managedObject = lazyregexp.New(`^((network|dvportgroup|datastore)-[0-9]+|network-o[0-9]+)$`)

// vSphereRef returns the reference for a text, which is an ID or a name.
func vSphereRef(text string, isID func(string) bool) VSphereRef {
	if isID(text) {
		return VSphereRef{ID: text}
	}
	return VSphereRef{Name: text}
}

func isObjectID(text string) bool { return managedObject().MatchString(text) }

// mappedNetworks returns the networks of vSphere that lead to those of the NICs. It reports NICs to which none leads,
// and those whose network forklift refuses (kubev2v/forklift v2.12.5, pkg/controller/plan/validation.go,
// validateNetworkMap).
func (d *draft) mappedNetworks(m *Machine) []MappedNetwork {
	var out []MappedNetwork
	for i := range m.NICs {
		nic := &m.NICs[i]
		network := d.site.Catalog.Network(nic.Network)
		if network == nil || len(network.VSphere) == 0 {
			d.reportUnmapped(nic, i)
			continue
		}
		var nad *NamespacedName
		if !nic.Pod {
			nad = new(namespacedName(nic.NAD, d.namespace))
			if nad.Namespace != d.namespace && nad.Namespace != "default" {
				d.errorf(nic.Pos, rule.Conflict, nicPath(i), "forklift attaches no VM of the namespace %q to %q; "+
					"accepted: networks of that namespace, and of \"default\"", d.namespace, nic.NAD)
			}
		}
		for _, name := range network.VSphere {
			out = append(out, MappedNetwork{vSphereRef(name, isObjectID), nad})
		}
	}
	return out
}

// reportUnmapped reports a NIC whose network no network of vSphere leads to.
func (d *draft) reportUnmapped(nic *NIC, i int) {
	name, entry := nic.Network, ""
	if ns, nad, ok := strings.Cut(name, "/"); ok {
		name, entry = nad, "nad: "+ns+"/"+nad+", "
	}
	d.errorf(nic.Pos, rule.MissingKey, nicPath(i),
		"no network of vSphere leads to %q; name it in fleet.yaml: `catalog: {networks: {%s: {%svsphere: [NAME]}}}`",
		nic.Network, name, entry)
}

// mappedStorage returns the datastores that lead to the storage classes of the disks. It reports disks to whose class
// none leads.
func (d *draft) mappedStorage(m *Machine) []MappedStorage {
	var out []MappedStorage
	for i := range m.Disks {
		disk := &m.Disks[i]
		if !disk.Migrated {
			continue
		}
		name := d.vm.Disks[disk.Name].StorageClass
		class := d.site.Catalog.StorageClass(name)
		switch {
		case name == "":
			d.errorf(disk.Pos, rule.MissingKey, "disks."+disk.Name+".storageClass",
				"missing storage class; expected one of fleet.yaml's `catalog.storageClasses` with `vsphere: [DATASTORE]`")
		case class == nil || len(class.VSphere) == 0:
			d.errorf(d.entry.At("disks", disk.Name, "storageClass"), rule.MissingKey, "disks."+disk.Name+".storageClass",
				"no datastore of vSphere leads to %q; name it in fleet.yaml: "+
					"`catalog: {storageClasses: {%[1]s: {vsphere: [NAME]}}}`", name)
		default:
			for _, store := range class.VSphere {
				out = append(out, MappedStorage{vSphereRef(store, isObjectID), class.Name, class.AccessMode, class.VolumeMode})
			}
		}
	}
	return out
}

// migratedDisks returns the disks that the migration fills, in the order of vSphere.
func (d *draft) migratedDisks(m *Machine) []MigratedDisk {
	byName := map[string]MigratedDisk{}
	var names []string
	for i := range m.Disks {
		disk := &m.Disks[i]
		if !disk.Migrated {
			continue
		}
		if len(disk.Claim) > longestClaim {
			d.errorf(d.entry.Pos, rule.BadName, "disks."+disk.Name,
				"its claim %q has %d characters, and forklift makes longer names of it; at most %d are accepted",
				disk.Claim, len(disk.Claim), longestClaim)
		}
		names = append(names, disk.Name)
		byName[disk.Name] = MigratedDisk{disk.Claim, disk.Volume}
	}
	if given := d.vm.Migrate.Disks; given != nil {
		d.checkDiskOrder(given, names)
		names = given
	}
	out := make([]MigratedDisk, 0, len(names))
	for _, name := range names {
		out = append(out, byName[name])
	}
	return out
}

// checkDiskOrder reports an order of the disks that does not name each of them once.
func (d *draft) checkDiskOrder(given, names []string) {
	for i, name := range given {
		at, path := d.entry.Keys.Get("migrate", "disks").Items[i].Pos(), source.IndexPath("migrate.disks", i)
		switch {
		case !slices.Contains(names, name):
			d.errorf(at, rule.UnknownName, path, "unknown disk %q, or one that the migration "+
				"does not fill; %s", name, suggest.DidYouMean(name, names))
		case slices.Index(given, name) < i:
			d.errorf(at, rule.Duplicate, path, "duplicate disk %q; name each once", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(given, name) {
			d.errorf(d.entry.At("migrate", "disks"), rule.MissingKey, "migrate.disks",
				"missing disk %q; expected all that the migration fills, in the order of vSphere", name)
		}
	}
}

// checkMigration reports keys that exclude each other.
func (d *draft) checkMigration(m *Migration) {
	conflict := func(key, problem string) {
		d.errorf(d.entry.At("migrate", key), rule.Conflict, "migrate."+key, "%s", problem)
	}
	switch {
	case m.VM == VSphereRef{}:
		d.errorf(d.entry.At("migrate", "vm"), rule.MissingKey, "migrate.vm", "the template results in nothing; "+
			"expected the VM's managed object ID in vSphere, such as \"vm-1234\"")
	case d.strategy != values.InPlace:
		conflict("vm", "cattle is recreated from an image, and a VM of vSphere is not; use `lifecycle: pet`")
	case m.Cutover != "" && !m.Warm:
		conflict("cutover", "only a warm migration has a cutover; set `warm: true`, or remove it")
	case m.Cancel && m.Done:
		conflict("cancel", "the VM has moved; remove `cancel`, or `done`")
	case m.Cancel && m.Run == 0:
		conflict("cancel", "nothing runs; set `run`, or remove it")
	case len(m.Plan) > longestPlan:
		d.errorf(d.entry.At("migrate", "plan"), rule.BadName, "migrate.plan",
			"the plan %q has %d characters; at most %d are accepted", m.Plan, len(m.Plan), longestPlan)
	}
	if problem := values.NameProblem(m.Plan); problem != "" && len(m.Plan) <= longestPlan {
		d.errorf(d.entry.At("migrate", "plan"), rule.BadName, "migrate.plan", "%s", problem)
	}
}

// warnOfIdentity warns of a machine that has moved, and to which Git would give another identity than its guest knows.
// forklift keeps the MAC addresses and the serial number of vSphere, and KubeVirt writes the UUID into the VM
// (kubev2v/forklift v2.12.5, pkg/controller/plan/adapter/vsphere/builder.go, mapNetworks and mapFirmware).
func (d *draft) warnOfIdentity(m *Machine, moved *Migration) {
	if !moved.Done {
		return
	}
	var missing []string
	for _, key := range []string{"uuid", "serial"} {
		if !d.entry.Keys.Get("firmware", key).IsSet() {
			missing = append(missing, "firmware."+key)
		}
	}
	for i := range m.NICs {
		if m.NICs[i].node.Get("mac").Str() == "" {
			missing = append(missing, nicPath(i)+".mac")
		}
	}
	if len(missing) > 0 {
		d.diags.Warnf(d.entry.At("migrate", "done"), rule.Migrate, d.entry.Path+".migrate.done",
			"the next restart would give the guest another %s than it has now; set what `vmrender import --merge` finds",
			strings.Join(missing, ", "))
	}
}

// terms are what all machines of a plan agree on, by the key that sets it.
type terms [6]struct{ key, value string }

// planned is a machine of a plan, for checks across machines.
type planned struct {
	name  string
	vm    string // in vSphere
	terms terms
	hooks map[string]hookSum // by step
}

func newPlanned(m *Migration) *planned {
	if m == nil || m.Ended() {
		return nil
	}
	network := ""
	if m.TransferNetwork != nil {
		network = m.TransferNetwork.Namespace + "/" + m.TransferNetwork.Name
	}
	return &planned{
		name: strings.Clone(m.Plan), vm: strings.Clone(cmp.Or(m.VM.ID, m.VM.Name)),
		terms: terms{
			{"provider", strings.Clone(m.Provider.Namespace + "/" + m.Provider.Name)},
			{"warm", strconv.FormatBool(m.Warm)},
			{"run", strconv.Itoa(m.Run)},
			{"cutover", strings.Clone(m.Cutover)},
			{"preserveStaticIPs", strconv.FormatBool(m.PreserveStaticIPs)},
			{"transferNetwork", strings.Clone(network)},
		},
		hooks: hookSums(m.Hooks),
	}
}

// checkPlans reports machines of one plan that do not agree on it, or of which only some are selected, and those that
// are the same VM of vSphere.
func (w *wide) checkPlans() {
	type vm struct{ provider, name string }
	first, moved, diags := map[machineKey]*record{}, map[vm]*record{}, w.diags
	hooks := planHooks{}
	for _, r := range w.records {
		if r.planned == nil {
			continue
		}
		plan := machineKey{r.namespace, r.planned.name}
		if other := first[plan]; other == nil {
			first[plan] = r
		} else {
			r.checkTerms(other, diags)
			w.checkSelected(other, r)
		}
		hooks.check(r, diags)
		from := vm{r.planned.terms[0].value, r.planned.vm}
		if other := moved[from]; other != nil {
			diags.Errorf(r.pos, rule.Duplicate, r.path+".migrate.vm", "%q of vSphere is also the VM %q at %s; it moves once",
				from.name, other.name, where(other.pos))
			continue
		}
		moved[from] = r
	}
}

// checkSelected reports two machines of a plan of which one is selected: the Plan would lose the other.
func (w *wide) checkSelected(a, b *record) {
	if w.selects(a) != w.selects(b) && !w.fleet.Alone {
		w.diags.Errorf(source.Pos{File: "--vm"}, rule.Conflict, "", "the VMs %q and %q move together, by the plan %q; "+
			"select both, or none", a.name, b.name, a.planned.name)
	}
}

// checkTerms reports what a machine says otherwise than the first machine of its plan.
func (r *record) checkTerms(first *record, diags *source.Diagnostics) {
	for i, term := range r.planned.terms {
		if other := first.planned.terms[i].value; other != term.value {
			diags.Errorf(r.pos, rule.Conflict, r.path+".migrate."+term.key,
				"%q, and %q for the VM %q at %s; the VMs of the plan %q move together: set it once, for all of them",
				term.value, other, first.name, where(first.pos), r.planned.name)
		}
	}
}
