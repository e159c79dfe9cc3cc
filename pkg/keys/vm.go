package keys

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

type (
	spec  = kubevirtv1.VirtualMachineInstanceSpec
	vmRow = Row[kubevirtv1.VirtualMachineInstanceSpec, machine.Machine]
)

// VM is the rows of keys of the VM itself: when and where it runs.
var VM = Table[kubevirtv1.VirtualMachineInstanceSpec, machine.Machine]{
	Part: "VM",
	Rows: []vmRow{
		{
			Key: "evictionStrategy", Path: "evictionStrategy",
			Set: func(s *spec, m *machine.Machine) {
				if m.EvictionStrategy != "" {
					s.EvictionStrategy = new(kubevirtv1.EvictionStrategy(m.EvictionStrategy))
				}
			},
			Get: func(s *spec, _ *Inherited) any { return string(valueOf(s.EvictionStrategy)) },
		},
		{
			Key: "nodeSelector", Path: "nodeSelector",
			Set: func(s *spec, m *machine.Machine) { s.NodeSelector = m.NodeSelector },
			Get: func(s *spec, _ *Inherited) any { return s.NodeSelector },
		},
		{
			Key: "priorityClassName", Path: "priorityClassName",
			Set: func(s *spec, m *machine.Machine) { s.PriorityClassName = m.PriorityClassName },
			Get: func(s *spec, _ *Inherited) any { return s.PriorityClassName },
		},
		{
			Key: "terminationGracePeriodSeconds", Path: "terminationGracePeriodSeconds", // null takes the default away
			Set: func(s *spec, m *machine.Machine) {
				if m.TerminationGracePeriodSeconds != nil {
					s.TerminationGracePeriodSeconds = m.TerminationGracePeriodSeconds
				}
			},
		},
		{
			Key: "hostname", Path: "hostname",
			Set: func(s *spec, m *machine.Machine) { s.Hostname = m.Hostname },
			Get: func(s *spec, _ *Inherited) any { return escaped(s.Hostname) },
		},
		{
			Key: "machineType", Path: "domain.machine.type",
			Set: func(s *spec, m *machine.Machine) {
				if m.MachineType != "" {
					s.Domain.Machine = &kubevirtv1.Machine{Type: m.MachineType}
				}
			},
			Get: func(s *spec, _ *Inherited) any { return valueOf(s.Domain.Machine).Type },
		},
		{
			Key: "arch", Path: "architecture",
			Set:     func(s *spec, m *machine.Machine) { s.Architecture = m.Arch },
			Get:     func(s *spec, _ *Inherited) any { return s.Architecture },
			Default: func(*spec, *Inherited) string { return catalog.DefaultArch },
		},
	},
}

// Decode reads what users write in Kubernetes' own form. It is called with the value of a key and what it is decoded
// into.
type Decode func(n *source.Node, into any, key string)

// Written links a key that users write in Kubernetes' own form with the field that has the same form.
type Written struct {
	Key string // also that of the field, below the spec of the template
	Set func(*spec, *machine.Machine, Decode)
	Get func(*spec) any
}

// Verbatim is the keys in Kubernetes' own form.
var Verbatim = []Written{
	{
		"tolerations", func(s *spec, m *machine.Machine, decode Decode) {
			for _, n := range m.Tolerations {
				var list []corev1.Toleration
				decode(n, &list, "tolerations")
				s.Tolerations = append(s.Tolerations, list...)
			}
		},
		func(s *spec) any { return s.Tolerations },
	},
	{
		"affinity",
		func(s *spec, m *machine.Machine, decode Decode) { decode(m.Affinity, &s.Affinity, "affinity") },
		func(s *spec) any { return s.Affinity },
	},
	{
		"topologySpreadConstraints", func(s *spec, m *machine.Machine, decode Decode) {
			decode(m.TopologySpreadConstraints, &s.TopologySpreadConstraints, "topologySpreadConstraints")
		},
		func(s *spec) any { return s.TopologySpreadConstraints },
	},
	{
		"readinessProbe",
		func(s *spec, m *machine.Machine, decode Decode) {
			decode(m.ReadinessProbe, &s.ReadinessProbe, "readinessProbe")
		},
		func(s *spec) any { return s.ReadinessProbe },
	},
	{
		"livenessProbe",
		func(s *spec, m *machine.Machine, decode Decode) {
			decode(m.LivenessProbe, &s.LivenessProbe, "livenessProbe")
		},
		func(s *spec) any { return s.LivenessProbe },
	},
	{
		"accessCredentials", func(s *spec, m *machine.Machine, decode Decode) {
			decode(m.AccessCredentials, &s.AccessCredentials, "accessCredentials")
		},
		func(s *spec) any { return s.AccessCredentials },
	},
}
