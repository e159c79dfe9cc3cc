package admission

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// spec is what the rules of the VM as a whole look at.
type spec = kubevirtv1.VirtualMachineInstanceSpec

// machineRules are the rules of the VM as a whole.
var machineRules = []group[spec]{
	{nil, powerRules},
	{func(s *subject, _ *spec) bool { return s.vm.Spec.Instancetype != nil || s.vm.Spec.Preference != nil }, sizeRules},
	{func(_ *subject, v *spec) bool {
		return len(v.Domain.Resources.Requests) > 0 || len(v.Domain.Resources.Limits) > 0
	}, slices.Concat(resourceRules, boundResourceRules)},
	{nil, boundRules},
	{func(_ *subject, v *spec) bool { return v.Domain.Memory == nil || v.Domain.Memory.Guest == nil }, guestMemoryRules},
	{func(_ *subject, v *spec) bool { return v.Domain.Memory != nil && v.Domain.Memory.Hugepages != nil }, pageRules},
	{func(_ *subject, v *spec) bool { return v.Domain.Memory != nil && v.Domain.Memory.MaxGuest != nil }, maxGuestRules},
	{hasPlacement, processorRules},
	{func(_ *subject, v *spec) bool { return v.Domain.Firmware != nil }, firmwareRules},
	{func(_ *subject, v *spec) bool { return v.Domain.Machine != nil }, machineTypeRules},
	{func(_ *subject, v *spec) bool { return v.Domain.LaunchSecurity != nil }, launchSecurityRules},
	{hasGuestSettings, guestRules},
	{nil, deviceRules},
	{hasExtras, extraRules},
	{hasGated, gateRules},
	{func(s *subject, _ *spec) bool { return len(s.vm.Spec.Template.ObjectMeta.Annotations) > 0 }, annotationRules},
	{isUncommon, architectureRules},
}

// powerRules are about the VirtualMachine, and not its instance.
var powerRules = []row[spec]{
	{
		Rule: Rule{
			ID: "run-strategy-twice", Kind: rule.Conflict, Field: "/spec.running", Source: sourceMachine,
			Problem: "KubeVirt accepts one of running and runStrategy; set `runStrategy: null` as well",
		},
		broken: func(s *subject, _ *spec) bool { return s.vm.Spec.Running != nil && s.vm.Spec.RunStrategy != nil },
	},
	{
		Rule: Rule{
			ID: "run-strategy-missing", Kind: rule.MissingKey, Field: "/spec.runStrategy", Source: sourceMachine,
			Problem: "missing; expected a run strategy, or running: true or false",
		},
		broken: func(s *subject, _ *spec) bool { return s.vm.Spec.Running == nil && s.vm.Spec.RunStrategy == nil },
	},
	{
		Rule: Rule{
			ID: "run-strategy", Kind: rule.Refused, Field: "/spec.runStrategy", Source: sourceMachine,
			Problem: "invalid run strategy; accepted: Always, Halted, Manual, Once, RerunOnFailure, WaitAsReceiver",
		},
		broken: func(s *subject, _ *spec) bool {
			return !slices.Contains([]string{"", "Always", "Halted", "Manual", "Once", "RerunOnFailure", "WaitAsReceiver"},
				textOfPointer(s.vm.Spec.RunStrategy))
		},
	},
	{
		Rule: Rule{
			ID: "receiver", Kind: rule.KubeVirtVersion, Field: "/spec.runStrategy", Gate: "DecentralizedLiveMigration",
			Problem: "receiver of a migration", Source: sourceMachine,
		},
		broken: func(s *subject, _ *spec) bool { return textOfPointer(s.vm.Spec.RunStrategy) == "WaitAsReceiver" },
	},
	{
		Rule: Rule{
			ID: "update-volumes-strategy", Kind: rule.Refused, Field: "/spec.updateVolumesStrategy", Starts: true,
			Problem: "invalid strategy, with which KubeVirt fails at every later change of the VM; accepted: Migration, Replacement",
			Source:  sourceMigration,
		},
		broken: func(s *subject, _ *spec) bool {
			strategy := textOfPointer(s.vm.Spec.UpdateVolumesStrategy)
			return !s.cluster.Stage && !slices.Contains([]string{"", "Migration", "Replacement"}, strategy)
		},
	},
}

// sizeRules are about instance types and preferences.
var sizeRules = []row[spec]{
	sizeRule("sockets", "domain.cpu.sockets", func(v *spec) bool { return v.Domain.CPU != nil && v.Domain.CPU.Sockets != 0 }),
	sizeRule("cores", "domain.cpu.cores", func(v *spec) bool { return v.Domain.CPU != nil && v.Domain.CPU.Cores != 0 }),
	sizeRule("threads", "domain.cpu.threads", func(v *spec) bool { return v.Domain.CPU != nil && v.Domain.CPU.Threads != 0 }),
	sizeRule("memory", "domain.memory.guest", func(v *spec) bool { return v.Domain.Memory != nil && v.Domain.Memory.Guest != nil }),
	sizeRule("requests", "domain.resources.requests", func(v *spec) bool { return hasSize(v.Domain.Resources.Requests) }),
	sizeRule("limits", "domain.resources.limits", func(v *spec) bool { return hasSize(v.Domain.Resources.Limits) }),
	{
		Rule: Rule{
			ID: "inferred-instancetype", Kind: rule.Conflict, Field: "/spec.instancetype", Source: sourceInfer,
			Problem: "KubeVirt accepts either a name and a kind or inferFromVolume",
		},
		broken: func(s *subject, _ *spec) bool {
			t := s.vm.Spec.Instancetype
			return t != nil && t.InferFromVolume != "" && (t.Name != "" || t.Kind != "")
		},
	},
	{
		Rule: Rule{
			ID: "inferred-preference", Kind: rule.Conflict, Field: "/spec.preference", Source: sourceInfer,
			Problem: "KubeVirt accepts either a name and a kind or inferFromVolume",
		},
		broken: func(s *subject, _ *spec) bool {
			t := s.vm.Spec.Preference
			return t != nil && t.InferFromVolume != "" && (t.Name != "" || t.Kind != "")
		},
	},
}

// sizeRule returns the rule that a VM with an instance type leaves a field to it.
func sizeRule(name, field string, set func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: "instancetype-" + name, Kind: rule.Conflict, Field: field, Source: sourceSize,
			Problem: "the instance type sets it; remove it, or the instance type",
		},
		broken: func(s *subject, v *spec) bool { return s.sized() && set(v) },
	}
}

// resourceRules are about the resources of the pod.
var resourceRules = []row[spec]{
	negative("requests.cpu", func(v *spec) *resource.Quantity { return v.Domain.Resources.Requests.Cpu() }),
	negative("requests.memory", func(v *spec) *resource.Quantity { return v.Domain.Resources.Requests.Memory() }),
	negative("limits.cpu", func(v *spec) *resource.Quantity { return v.Domain.Resources.Limits.Cpu() }),
	negative("limits.memory", func(v *spec) *resource.Quantity { return v.Domain.Resources.Limits.Memory() }),
	{
		Rule: Rule{
			ID: "cpu-above-limit", Kind: rule.Refused, Field: "domain.resources.requests.cpu", Source: sourceInstance,
			Problem: "greater than the limit",
		},
		broken: plain(func(v *spec) bool {
			limit := v.Domain.Resources.Limits.Cpu()
			return limit.Sign() > 0 && v.Domain.Resources.Requests.Cpu().Cmp(*limit) > 0
		}),
	},
	{
		Rule: Rule{
			ID: "memory-above-limit", Kind: rule.Refused, Field: "domain.resources.requests.memory", Source: sourceInstance,
			Problem: "greater than the limit",
		},
		broken: plain(func(v *spec) bool {
			limit := v.Domain.Resources.Limits.Memory()
			return limit.Sign() > 0 && v.Domain.Resources.Requests.Memory().Cmp(*limit) > 0
		}),
	},
	{
		Rule: Rule{
			ID: "memory-request", Kind: rule.Refused, Field: "domain.resources.requests.memory", Source: sourceInstance,
			Problem: "too small; expected at least 1M",
		},
		broken: plain(func(v *spec) bool {
			m := v.Domain.Resources.Requests.Memory()
			return m.Sign() > 0 && m.CmpInt64(1e6) < 0
		}),
	},
	{
		Rule: Rule{
			ID: "guest-above-limit", Kind: rule.Refused, Field: "domain.memory.guest", Source: sourceInstance,
			Problem: "greater than the memory limit",
		},
		broken: func(s *subject, v *spec) bool {
			limit := v.Domain.Resources.Limits.Memory()
			return s.cluster.Stage && guest(v) != nil && limit.Sign() > 0 && limit.Cmp(*guest(v)) < 0
		},
	},
}

// guestMemoryRules are about VMs without memory of their own.
var guestMemoryRules = []row[spec]{
	{
		Rule: Rule{
			ID: "no-memory", Kind: rule.MissingKey, Field: "domain.memory.guest", Source: sourceInstance, Starts: true,
			Problem: "no memory; expected a quantity here, under domain.memory.hugepages or under domain.resources.requests",
		},
		broken: func(s *subject, v *spec) bool { return s.settled() && !hasMemory(v) },
	},
	{
		Rule: Rule{
			ID: "no-preferred-memory", Kind: rule.Refused, Field: "domain.memory.guest", Source: sourceInstance,
			Setting: "preference, which can require memory",
			Problem: "no memory; expected a quantity here, under domain.memory.hugepages or under domain.resources.requests",
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && s.vm.Spec.Preference != nil && !hasMemory(v) },
	},
}

// pageRules are about huge pages.
var pageRules = []row[spec]{
	{
		Rule: Rule{
			ID: "page-size", Kind: rule.Refused, Field: "domain.memory.hugepages.pageSize", Source: sourceInstance,
			Problem: `invalid size of a page; expected a quantity such as "2Mi" or "1Gi"`,
		},
		broken: plain(func(v *spec) bool {
			if v.Domain.Memory == nil || v.Domain.Memory.Hugepages == nil {
				return false
			}
			_, err := resource.ParseQuantity(v.Domain.Memory.Hugepages.PageSize)
			return err != nil
		}),
	},
	{
		Rule: Rule{
			ID: "hugepages", Kind: rule.Refused, Field: "domain.memory.hugepages.pageSize", Source: sourceInstance,
			Problem: "the memory is not a multiple of the size of a page",
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && !isPaged(v) },
	},
}

// maxGuestRules are about VMs that can get more memory while they run.
var maxGuestRules = []row[spec]{
	memoryRule("above-maximum", "domain.memory.guest", "more than domain.memory.maxGuest", func(v *spec) bool {
		if guest(v) == nil {
			return false
		}
		g := *guest(v) // whose form a comparison with a large quantity changes
		return g.Cmp(*v.Domain.Memory.MaxGuest) > 0
	}),
	memoryRule("no-guest", "domain.memory.maxGuest", "needs domain.memory.guest", func(v *spec) bool {
		r := &v.Domain.Resources // KubeVirt accepts the guest's memory from them
		return guest(v) == nil && r.Requests.Memory().IsZero() && r.Limits.Memory().IsZero()
	}),
	memoryRule("alignment", "domain.memory.guest", "expected a multiple of 2Mi, or of 1Gi with pages of that size, "+
		"if domain.memory.maxGuest is set", func(v *spec) bool { return guest(v) != nil && !isAligned(v, guest(v)) }),
	memoryRule("maximum-alignment", "domain.memory.maxGuest", "expected a multiple of 2Mi, or of 1Gi with pages of that size",
		func(v *spec) bool { return !isAligned(v, v.Domain.Memory.MaxGuest) }),
	memoryRule("architecture", "domain.memory.maxGuest", "only VMs on amd64 can get more memory while they run; remove it",
		func(v *spec) bool { return v.Architecture != "amd64" && v.Architecture != "" }),
	memoryRule("minimum", "domain.memory.maxGuest", "only VMs with at least 1Gi can get more memory while they run; remove it",
		func(v *spec) bool { return guest(v) != nil && guest(v).CmpInt64(1<<30) < 0 }),
	memoryRule("fixed", "domain.memory.maxGuest", "VMs with realtime, a NUMA mapping or launchSecurity cannot get more "+
		"memory while they run; remove it", func(v *spec) bool {
		c := v.Domain.CPU
		return v.Domain.LaunchSecurity != nil || c != nil && (c.Realtime != nil || c.NUMA != nil && c.NUMA.GuestMappingPassthrough != nil)
	}),
}

// negative returns the rule that a quantity is not below 0.
func negative(field string, get func(*spec) *resource.Quantity) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: "negative-" + strings.ReplaceAll(field, ".", "-"), Kind: rule.Refused, Field: "domain.resources." + field,
			Problem: "negative quantity; expected at least 0", Source: sourceInstance,
		},
		broken: plain(func(v *spec) bool { return get(v).Sign() < 0 }),
	}
}

// memoryRule returns a rule of VMs with a maximum of memory, unless changes wait for a restart in the cluster.
func memoryRule(name, field, problem string, broken func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{ID: "memory-" + name, Kind: rule.Refused, Field: field, Problem: problem, Source: sourceMemory},
		broken: func(s *subject, v *spec) bool {
			return !s.cluster.Stage && !s.sized() && v.Domain.Memory != nil && v.Domain.Memory.MaxGuest != nil && broken(v)
		},
	}
}
