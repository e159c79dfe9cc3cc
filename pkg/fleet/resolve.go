package fleet

import (
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// subject is one VM on its way to a Machine.
type subject struct {
	*loader
	diags     *source.Diagnostics
	path      string       // "vms.web01"
	key       source.Pos   // of the VM's name
	node      *source.Node // merged keys
	inherited *source.Node // what the VM's own level is merged over
	vm        VM           // node, decoded
	os        *catalog.ResolvedOS
	m         *Machine
	texts     expander
	// inDoubt says that what seems to be missing may be among what was not understood.
	inDoubt bool
	// misread are the VM keys that were not understood: nothing more is said of them.
	misread map[string]bool
	badName bool
}

// resolveEntry decides the machines of one entry of `vms`, one or one per
// replica, and appends their records.
func (l *loader) resolveEntry(records []*record, field *source.Field, below *level, diags *source.Diagnostics) []*record {
	var own source.Diagnostics
	s := subject{loader: l, diags: &own, path: source.JoinPath("vms", field.Key), key: field.Pos()}
	for _, m := range s.resolve(field, below) {
		if m.Broken = own.HasErrors(); m.Broken {
			records = append(records, newRecord(m))
			l.visitOne(m, &own)
		} else {
			records = l.decided(records, m, &own)
		}
	}
	diags.Merge(&own)
	return records
}

func (s *subject) resolve(field *source.Field, below *level) []*Machine {
	if problem := nameProblem(field.Key); problem != "" {
		s.diags.Errorf(s.key, "bad-name", s.path, "%s", problem)
		s.badName = true
	}
	s.inDoubt = below != nil && below.inDoubt
	if !s.merge(field, below) {
		return nil
	}
	s.decode()
	if s.vm.Replicas == nil || s.strategy() == Pool {
		return []*Machine{s.machine(field.Key, field.Key, nil)}
	}
	machines := make([]*Machine, 0, *s.vm.Replicas)
	for i := range *s.vm.Replicas {
		machines = append(machines, s.machine(field.Key+"-"+strconv.Itoa(i), field.Key, &i))
		if s.diags.HasErrors() {
			break // the others have the same
		}
	}
	return machines
}

// merge brings the levels of the VM together, down from what its operating system brings.
func (s *subject) merge(field *source.Field, below *level) bool {
	top, removed := s.vmLevels(field, below)
	if removed {
		return false
	}
	name := top.osName()
	switch {
	case name == nil || name.Kind == source.Null:
		name = new(source.Node)
		s.errorf(s.key, "missing-key", "os", "missing operating system; accepted: %s", strings.Join(s.set.Names("os"), ", "))
	case name.Kind == source.String:
		s.os = s.set.OS(name.Text)
	}
	if s.os == nil { // what is wrong with the name is reported with its level, or when it is decoded
		s.os = unknownOS(name)
		s.inDoubt = true
		s.misreads("os")
	}
	s.inherited = below.base(s.os)
	s.node = top.merged(s.os, below)
	s.checkInert(top)
	if s.inspect != nil {
		s.inspect(field.Key, s, top)
	}
	return true
}

// unknownOS stands for an operating system that is not in the catalogue, so that
// the VM's other keys can be checked.
func unknownOS(name *source.Node) *catalog.ResolvedOS {
	return &catalog.ResolvedOS{Name: name.Text, Node: &source.Node{Kind: source.Map}}
}

// vmLevels are the VM's own level and those of the overlays that name it.
func (s *subject) vmLevels(field *source.Field, below *level) (top *level, removed bool) {
	top = s.vmLevel("VM", field, below)
	for _, vms := range s.overlays {
		f := vms.Field(field.Key)
		if f == nil {
			continue
		}
		s.markUsed(field.Key)
		if removed = f.Value.Kind == source.Null; removed {
			continue
		}
		top = s.vmLevel("overlay "+filepath.ToSlash(vms.File.Name), f, top)
	}
	return top, removed
}

// vmLevel is a level for one VM only; what it writes is decoded merged.
func (s *subject) vmLevel(name string, field *source.Field, below *level) *level {
	keys := field.Value
	if keys.Kind == source.Null {
		keys = &source.Node{Kind: source.Map, Line: field.Line, Col: field.Col, File: field.Value.File}
	}
	keys = expand(keys)
	checkOS(keys, s.path, s.set, s.diags)
	checkLevelLifecycle(keys, s.path, s.diags)
	return &level{name: name, parent: below, keys: keys, flavor: flavorOf(keys, s.set, s.path, s.diags)}
}

// merged merges a VM's levels, which are not shared, over the shared ones.
func (l *level) merged(os *catalog.ResolvedOS, shared *level) *source.Node {
	if l == shared {
		return l.base(os)
	}
	return l.onto(l.parent.merged(os, shared))
}

func (l *loader) markUsed(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[name] = true
}

func (l *loader) checkOverlaid() {
	for _, vms := range l.overlays {
		for i := range vms.Fields {
			f := &vms.Fields[i]
			if !l.used[f.Key] && !l.diags.HasRule(unreadRules...) {
				l.diags.Errorf(f.Pos(), "unknown-name", source.JoinPath("vms", f.Key), "unknown VM %q; %s", f.Key, source.DidYouMean(f.Key, l.names()))
			}
		}
	}
}

// machine decides everything about one machine.
func (s *subject) machine(name, group string, ordinal *int) *Machine {
	vm := &s.vm
	s.m = &Machine{
		Fleet: s.header.Metadata.Name, Part: s.part, Name: name, group: group, Target: s.header.Target, Pos: s.key, Path: s.path,
		OS: s.os, Workload: vm.Workload, MachineType: vm.MachineType, Arch: or(vm.Arch, "amd64"),
		RunStrategy: or(vm.RunStrategy, "Always"), EvictionStrategy: vm.EvictionStrategy,
		PriorityClassName: vm.PriorityClassName, TerminationGracePeriodSeconds: vm.TerminationGracePeriodSeconds,
		Affinity: vm.Affinity, TopologySpreadConstraints: vm.TopologySpreadConstraints,
		ReadinessProbe: vm.ReadinessProbe, LivenessProbe: vm.LivenessProbe, AccessCredentials: vm.AccessCredentials,
		Overrides: s.overrides(), Patches: vm.Patches,
	}
	if vm.Patches != nil {
		s.m.PatchPos = s.at("patches")
	}
	s.namespace()
	s.preference()
	s.texts = s.newExpander(ordinal)
	s.metadata()
	s.sizing()
	s.hardware()
	s.disks()
	s.nics()
	s.guest()
	s.services()
	s.lifecycle()
	s.placement()
	s.waves()
	s.stopped()
	s.identify()
	s.checkNames()
	s.platformFits()
	return s.m
}

func or(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

func (s *subject) namespace() {
	s.m.Namespace = or(s.vm.Namespace, s.opts.Namespace)
	if s.m.Namespace == "" {
		s.errorf(s.key, "missing-key", "namespace", "no namespace; set `namespace` here, in the file or in the defaults, or give --namespace")
	} else if problem := nameProblem(s.m.Namespace); problem != "" {
		s.errorf(s.at("namespace"), "bad-name", "namespace", "%s", problem)
	}
}

func (s *subject) overrides() []*source.Node {
	var out []*source.Node
	for _, n := range []*source.Node{s.os.Overrides, s.vm.Overrides} {
		if n != nil && n.Kind != source.Null {
			out = append(out, n)
		}
	}
	return out
}

func (s *subject) metadata() {
	vm, m := &s.vm, s.m
	m.Hostname = s.texts.expand(vm.Hostname, "hostname")
	if m.Hostname != "" && nameProblem(m.Hostname) != "" {
		s.errorf(s.at("hostname"), "bad-name", "hostname", "%s", nameProblem(m.Hostname))
	}
	m.Labels = s.texts.expandMap(vm.Labels, "labels")
	m.Annotations = s.texts.expandMap(vm.Annotations, "annotations")
	m.annotations = s.node.Get("annotations")
	for k, v := range m.Labels {
		if problem := labelProblem(k, v); problem != "" {
			at := s.at("labels", k)
			if !isLabelKey(k) {
				at = s.keyAt("labels", k)
			}
			s.errorf(at, "bad-label", source.JoinPath("labels", k), "%s", problem)
		}
	}
}

func (s *subject) hardware() {
	vm, m := &s.vm, s.m
	m.Firmware = s.firmware()
	switch t := vm.TPM; {
	case t == nil || t.Enabled != nil && !*t.Enabled:
	case t.Persistent != nil && *t.Persistent:
		m.TPM = TPMPersistent
	default:
		m.TPM = TPMVolatile
	}
	m.GPUs = s.devices(vm.GPUs, "gpus", "gpu")
	m.HostDevices = s.devices(vm.HostDevices, "hostDevices", "hostdevice")
}

func (s *subject) firmware() MachineFirmware {
	fw := s.vm.Firmware
	if fw == nil {
		return MachineFirmware{}
	}
	out := MachineFirmware{Type: fw.Type, UUID: fw.UUID, Serial: fw.Serial}
	out.Persistent = fw.Persistent != nil && *fw.Persistent && fw.Type != "bios"
	if fw.UUID != "" && !isUUID(fw.UUID) {
		s.errorf(s.at("firmware", "uuid"), "bad-uuid", "firmware.uuid", "invalid UUID %q; expected the form 5d307ca9-b3ef-428c-8861-06e72d69f223", fw.UUID)
	}
	return out
}

// devices names the devices that have no name, and wants the names to be unique.
func (s *subject) devices(in []Device, key, prefix string) []Device {
	out := make([]Device, len(in))
	seen := map[string]bool{}
	for i, d := range in {
		d.Name = or(d.Name, prefix+strconv.Itoa(i))
		at := s.itemPos(key, i)
		if seen[d.Name] {
			s.errorf(at, "duplicate", source.IndexPath(key, i), "duplicate name %q; give it a `name` of its own", d.Name)
		}
		seen[d.Name] = true
		out[i] = d
	}
	return out
}

// itemPos is where the i-th item of the list under key was written.
func (s *subject) itemPos(key string, i int) source.Pos {
	if n := s.node.Get(key); n != nil && i < len(n.Items) {
		return n.Items[i].Pos()
	}
	return s.at(key)
}

func (s *subject) placement() {
	p, m := s.header.Placement, s.m
	m.NodeSelector = s.vm.NodeSelector
	if len(p.NodeSelector) > 0 {
		m.NodeSelector = maps.Clone(s.vm.NodeSelector)
		if m.NodeSelector == nil {
			m.NodeSelector = map[string]string{}
		}
		s.isolate(p.NodeSelector)
	}
	for _, n := range []*source.Node{p.Tolerations, s.vm.Tolerations} {
		if n != nil && n.Kind != source.Null {
			m.Tolerations = append(m.Tolerations, n)
		}
	}
}

// isolate lets the fleet's placement win, and reports a VM that wants to be elsewhere.
func (s *subject) isolate(selector map[string]string) {
	for k, v := range selector {
		if own, ok := s.vm.NodeSelector[k]; ok && own != v {
			s.errorf(s.at("nodeSelector", k), "placement", source.JoinPath("nodeSelector", k),
				"%q is not where the fleet's placement puts VMs; accepted is %q", own, v)
		}
		s.m.NodeSelector[k] = v
	}
}

// stopped notes a machine that is off until someone starts it.
func (s *subject) stopped() {
	if s.m.RunStrategy == "Halted" || s.m.RunStrategy == "Manual" {
		s.m.stopped = new(s.at("runStrategy"))
	}
}

func (s *subject) waves() {
	m := s.m
	if s.vm.Wave != nil {
		m.wave = &givenWave{*s.vm.Wave, s.at("wave")}
	}
	for i, name := range s.vm.DependsOn {
		if n := s.node.Get("dependsOn"); name == "" && n.Items[i].Kind != source.String {
			continue // reported as no string
		}
		d := Dependency{Namespace: m.Namespace, Name: name, Pos: s.itemPos("dependsOn", i)}
		if ns, rest, ok := strings.Cut(name, "/"); ok {
			d.Namespace, d.Name = ns, rest
		}
		m.DependsOn = append(m.DependsOn, d)
	}
}
