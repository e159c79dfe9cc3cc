package fleet

import (
	"net/netip"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Visitor takes a machine that is decided, or one that is [Machine.Broken]. It is
// called from several goroutines, in no order, and may report problems of its
// own to diags; a machine that it does not keep is garbage.
type Visitor func(m *Machine, diags *source.Diagnostics)

// record is what the checks across VMs need of a machine, so that the machine
// itself need not be kept: a fleet of 100,000 does not fit in memory twice.
type record struct {
	machineKey
	group string // name of the VM that this is a replica of; else its own
	pos   source.Pos
	path  string

	wave  int
	given *givenWave
	deps  []Dependency

	replaced bool        // its strategy is Replace
	jobs     bool        // a Job of our own image belongs to it
	after    bool        // a hook runs after the sync
	grows    bool        // a claim grows in the wave after it
	stopped  *source.Pos // of the run strategy that leaves it off; else nil

	addresses []address
	objects   []object

	waiting *Machine // not visited yet: its wave is that of others
}

type machineKey struct{ namespace, name string }

// address is what must be unique: a MAC address or a firmware's identity in the
// fleet, an IP address on its network.
type address struct {
	addressKey
	nic  string // empty for what is not a NIC's
	path string // beneath the VM's
	pos  source.Pos
}

type addressKey struct{ what, network, address string }

// object is what a machine gives a name in its namespace.
type object struct {
	kind, name string
	key        string // of the disk or service
}

// path is where the object stands beneath its VM.
func (o *object) path() string {
	if o.kind == "Service" {
		return source.JoinPath("services", o.key)
	}
	return source.JoinPath("disks", o.key)
}

func newRecord(m *Machine) *record {
	r := &record{
		machineKey: machineKey{m.Namespace, strings.Clone(m.Name)}, pos: m.Pos, path: m.Path,
		given: m.wave, deps: m.DependsOn,
	}
	if !m.Broken {
		r.addHooks(m)
	}
	if r.group = r.name; m.group != m.Name {
		r.group = strings.Clone(m.group)
	}
	for i := range m.NICs {
		r.addAddresses(&m.NICs[i], i)
	}
	r.addresses = append(r.addresses, m.identities...)
	r.objects = make([]object, 0, len(m.Disks)+len(m.Services))
	for i := range m.Disks {
		if d := &m.Disks[i]; d.Kind == DiskDataVolume {
			r.objects = append(r.objects, object{"DataVolume", r.own(d.Claim), strings.Clone(d.Name)})
		}
	}
	for i := range m.Services {
		r.objects = append(r.objects, object{"Service", m.Services[i].Name, strings.Clone(m.Services[i].PortName)})
	}
	return r
}

// addHooks notes what the machine wants of Argo CD.
func (r *record) addHooks(m *Machine) {
	lc := &m.Lifecycle
	r.replaced, r.jobs, r.stopped = lc.Strategy == Replace, lc.Hooks(), m.stopped
	r.after = lc.Strategy == Rollout || lc.Ansible != nil
	for i := range m.Disks {
		r.grows = r.grows || m.Disks[i].ExpandTo != ""
	}
}

// own is a name that does not keep the text of a file in memory.
func (r *record) own(name string) string {
	if name == r.name {
		return r.name
	}
	return strings.Clone(name)
}

func (r *record) addAddresses(n *MachineNIC, index int) {
	add := func(what, network, value, key string) {
		path := source.IndexPath("nics", index) + "." + key
		r.addresses = append(r.addresses, address{addressKey{what, network, value}, n.Name, path, n.at(key)})
	}
	if n.MAC != "" {
		add("MAC address", "", n.MAC, "mac")
	}
	if n.IP == "" || n.Pod {
		return
	}
	if p, err := netip.ParsePrefix(n.IP); err == nil {
		add("IP address", n.NAD, p.Addr().String(), "ip")
	}
}

// at is where a key of the NIC was written; the NIC's place where it was not.
func (n *MachineNIC) at(key string) source.Pos {
	if v := n.node.Get(key); v != nil {
		return v.Pos()
	}
	return n.Pos
}

// decided takes over a machine without errors: it is visited at once, unless
// its wave is that of others.
func (l *loader) decided(records []*record, m *Machine, diags *source.Diagnostics) []*record {
	r := newRecord(m)
	if len(m.DependsOn) > 0 {
		r.waiting = m
		return append(records, r)
	}
	if m.wave != nil {
		m.Wave, r.wave = m.wave.number, m.wave.number
	}
	l.visitOne(m, diags)
	return append(records, r)
}

func (l *loader) visitOne(m *Machine, diags *source.Diagnostics) {
	if l.visit != nil && l.wanted(m) {
		l.visit(m, diags)
	}
}

// visitWaiting visits the machines whose waves are known now.
func (l *loader) visitWaiting(records []*record) {
	var waiting []*record
	for _, r := range records {
		if r.waiting != nil {
			waiting = append(waiting, r)
		}
	}
	for start := 0; start < len(waiting); start += chunk {
		part := waiting[start:min(start+chunk, len(waiting))]
		l.pool.do(len(part), func() {
			var own source.Diagnostics
			for _, r := range part {
				r.waiting.Wave = r.wave
				l.visitOne(r.waiting, &own)
				r.waiting = nil
			}
			l.keep(nil, &own)
		})
	}
}
