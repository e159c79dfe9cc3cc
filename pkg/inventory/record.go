package inventory

import (
	"net/netip"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// givenWave is a wave as written.
type givenWave struct {
	number int
	pos    source.Pos
}

// record contains the data of a VM for checks across VMs, so that the
// VM itself can be released: a fleet of 100,000 does not fit in memory
// twice.
type record struct {
	machineKey
	group string // name of the VM, without the ordinal of a replica
	home  string // its namespace in the files
	pos   source.Pos

	wave  int
	given *givenWave
	deps  []machine.Dependency

	windowed  bool        // a CronJob of a maintenance window belongs to it
	scheduled bool        // a CronJob of its snapshots belongs to it
	powered   bool        // a CronJob that starts or stops it belongs to it
	patched   bool        // a CronJob of Ansible belongs to it
	awaited   bool        // Argo CD deletes and creates it during the sync
	green     bool        // Argo CD deletes its predecessor once it is healthy
	jobs      bool        // a Job with vmrender's own image belongs to it
	after     bool        // a Job runs after all waves
	grows     bool        // a PVC grows in the wave after it
	stopped   *source.Pos // of the run strategy or power that stops it, or nil

	addresses []address
	objects   []object
	claims    []claim

	selectors []selector

	planned *planned // nil if the VM does not come from vSphere

	waiting *machine.Machine // not visited yet: its wave depends on those of others
}

type machineKey struct{ namespace, name string }

// address is a value that must be unique: a MAC address or firmware identity
// in the fleet, an IP address on its network.
type address struct {
	addressKey
	nic  string // empty for firmware identities
	path string // below the VM's
	pos  source.Pos
}

type addressKey struct{ what, network, address string }

// object is a named object in the VM's namespace.
type object struct {
	kind, name string
	key        string // of the disk, service or object
	own        bool   // under `objects`

	writes bool // the VM writes to it: a disk
	shared bool // the disk is shareable
}

// path returns the path of the object below that of its VM.
func (o *object) path() string {
	if o.own {
		return source.JoinPath("objects", o.key)
	}
	if o.kind == "Service" {
		return source.JoinPath("services", o.key)
	}
	return source.JoinPath("disks", o.key)
}

// claim is an existing claim that a disk of the VM writes to.
type claim struct {
	name   string
	shared bool   // the disk is shareable
	path   string // below the VM's
	pos    source.Pos
}

// givenTo returns the wave that an entry sets, or nil.
func givenTo(e *fleet.Entry) *givenWave {
	if e.VM.Wave == nil {
		return nil
	}
	return &givenWave{*e.VM.Wave, e.At("wave")}
}

// stoppedBy returns the position of the run strategy or power that stops a VM, or nil.
func stoppedBy(m *machine.Machine) *source.Pos {
	switch {
	case m.Lifecycle.Power != nil:
		return new(m.Written.KeyAt("power"))
	case m.RunStrategy == "Halted" || m.RunStrategy == "Manual":
		return new(m.Written.At("runStrategy"))
	}
	return nil
}

func newRecord(m *machine.Machine) *record {
	e := m.Written
	r := &record{
		machineKey: machineKey{m.Namespace, strings.Clone(m.Name)}, pos: m.Pos,
		given: givenTo(e), deps: m.DependsOn, home: e.Home, planned: newPlanned(m.Migration),
		selectors: selectorsOf(m),
	}
	if !m.Broken {
		r.addHooks(m)
	}
	if r.group = r.name; e.Name != m.Name {
		r.group = strings.Clone(e.Name)
	}
	for i := range m.NICs {
		r.addAddresses(&m.NICs[i], i)
	}
	r.addIdentities(m)
	r.objects = make([]object, 0, len(m.Disks)+len(m.Services))
	for i := range m.Disks {
		switch d := &m.Disks[i]; {
		case d.Kind == machine.DiskDataVolume:
			r.objects = append(r.objects, object{
				kind: "DataVolume", name: r.own(d.Claim), key: strings.Clone(d.Name), writes: d.Writes(), shared: d.Shareable,
			})
		case d.Kind == machine.DiskClaim && d.Writes():
			path := source.JoinPath("disks", strings.Clone(d.Name))
			r.claims = append(r.claims, claim{strings.Clone(d.Claim), d.Shareable, path, d.Pos})
		}
	}
	for i := range m.Services {
		s := &m.Services[i]
		r.objects = append(r.objects, object{kind: "Service", name: s.Name, key: strings.Clone(s.Key)})
	}
	for i := range m.Objects {
		o := &m.Objects[i]
		r.objects = append(r.objects, object{
			kind: o.Kind(), name: strings.Clone(o.Name), key: strings.Clone(o.Key), own: true,
		})
	}
	return r
}

// addHooks sets the requirements of the VM on Argo CD.
func (r *record) addHooks(m *machine.Machine) {
	lc := &m.Lifecycle
	traits := lc.Strategy.Traits()
	r.awaited, r.green = traits.AwaitsDeletion, traits.NamedByContent
	r.jobs, r.stopped = lc.Hooks(), stoppedBy(m)
	r.windowed, r.scheduled, r.powered = lc.Maintenance != nil, lc.Snapshots != nil, lc.Power != nil
	r.after, r.patched = lc.Ansible != nil, lc.Patches()
	for i := range m.Disks {
		r.grows = r.grows || m.Disks[i].ExpandTo != ""
	}
}

// path returns the path of the VM in its file.
func (r *record) path() string { return source.JoinPath("vms", r.group) }

// own returns a copy of a name that does not keep the text of a file in
// memory.
func (r *record) own(name string) string {
	if name == r.name {
		return r.name
	}
	return strings.Clone(name)
}

func (r *record) addAddresses(n *machine.NIC, index int) {
	add := func(what, network, value, key string) {
		path := source.IndexPath("nics", index) + "." + key
		r.addresses = append(r.addresses, address{addressKey{what, network, value}, n.Name, path, n.At(key)})
	}
	if n.MAC != "" {
		add("MAC address", "", n.MAC, "mac")
	}
	if n.IP == "" {
		return
	}
	if p, err := netip.ParsePrefix(n.IP); err == nil {
		add("IP address", n.NAD, p.Addr().String(), "ip")
	}
}

// addIdentities adds the identities of the firmware that a file sets: each must be unique. KubeVirt sets those of the
// VMs of a pool.
func (r *record) addIdentities(m *machine.Machine) {
	fw := m.Written.VM.Firmware
	if fw == nil || m.Lifecycle.Strategy.Traits().Pooled {
		return
	}
	add := func(what, value, key string) {
		if value != "" {
			at := m.Written.At("firmware", key)
			r.addresses = append(r.addresses, address{addressKey{what, "", strings.Clone(value)}, "", "firmware." + key, at})
		}
	}
	add("firmware UUID", strings.ToLower(fw.UUID), "uuid")
	add("serial number", fw.Serial, "serial")
}

// lastWave returns the last wave with an object of the VM.
func (r *record) lastWave() int {
	if r.grows {
		return r.wave + 1
	}
	return r.wave
}

// isNamed reports whether name, with or without a namespace, refers to the
// VM or to the VM that it is a replica of.
func (r *record) isNamed(name string) bool {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		return r.namespace == ns && (r.name == rest || r.group == rest)
	}
	return r.name == name || r.group == name
}
