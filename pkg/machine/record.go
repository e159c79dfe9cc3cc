package machine

import (
	"net/netip"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// facts contains the input of a VM's record that is not rendered.
type facts struct {
	group       string       // name of the VM, without the ordinal of a replica
	home        string       // its namespace in the files
	wave        *givenWave   // nil if unset
	annotations *source.Node // as written
	services    *source.Node // as written
	identities  []address    // of the firmware, if set in a file
	stopped     *source.Pos  // of the run strategy or power that stops the VM, or nil
	selectors   []selector
}

// givenWave is a wave as written.
type givenWave struct {
	number int
	pos    source.Pos
}

func (d *draft) facts(m *Machine) facts {
	f := facts{
		group: d.entry.Name, home: d.home, annotations: d.entry.Keys.Get("annotations"),
		services: d.entry.Keys.Get("services"),
	}
	if d.vm.Wave != nil {
		f.wave = &givenWave{*d.vm.Wave, d.entry.At("wave")}
	}
	f.selectors = d.selectors(m)
	switch {
	case m.Lifecycle.Power != nil:
		f.stopped = new(d.entry.KeyAt("power"))
	case m.RunStrategy == "Halted" || m.RunStrategy == "Manual":
		f.stopped = new(d.entry.At("runStrategy"))
	}
	return f
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
	deps  []Dependency

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

	waiting *Machine // not visited yet: its wave depends on those of others
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

func newRecord(m *Machine) *record {
	r := &record{
		machineKey: machineKey{m.Namespace, strings.Clone(m.Name)}, pos: m.Pos,
		given: m.wide.wave, deps: m.DependsOn, home: m.wide.home, planned: newPlanned(m.Migration),
		selectors: m.wide.selectors,
	}
	if !m.Broken {
		r.addHooks(m)
	}
	if r.group = r.name; m.wide.group != m.Name {
		r.group = strings.Clone(m.wide.group)
	}
	for i := range m.NICs {
		r.addAddresses(&m.NICs[i], i)
	}
	r.addresses = append(r.addresses, m.wide.identities...)
	r.objects = make([]object, 0, len(m.Disks)+len(m.Services))
	for i := range m.Disks {
		switch d := &m.Disks[i]; {
		case d.Kind == DiskDataVolume:
			r.objects = append(r.objects, object{
				kind: "DataVolume", name: r.own(d.Claim), key: strings.Clone(d.Name), writes: d.writes(), shared: d.Shareable,
			})
		case d.Kind == DiskClaim && d.writes():
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
			kind: o.kind(), name: strings.Clone(o.Name), key: strings.Clone(o.Key), own: true,
		})
	}
	return r
}

// addHooks sets the requirements of the VM on Argo CD.
func (r *record) addHooks(m *Machine) {
	lc := &m.Lifecycle
	traits := lc.Strategy.Traits()
	r.awaited, r.green = traits.AwaitsDeletion, traits.NamedByContent
	r.jobs, r.stopped = lc.Hooks(), m.wide.stopped
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

func (r *record) addAddresses(n *NIC, index int) {
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

// IsConfigured reports whether network data says which address the guest gives the NIC, or that it gives it none.
func (n *NIC) IsConfigured() bool { return n.IP != "" || n.Unnumbered }

// At returns the position of a key of the NIC, or of the NIC if it is not set.
func (n *NIC) At(key string) source.Pos {
	if v := n.node.Get(key); v != nil {
		return v.Pos()
	}
	return n.Pos
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
