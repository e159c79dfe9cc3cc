package admission

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/rule"
)

// processorRules are about processors and their pinning.
var processorRules = []row[spec]{
	{
		Rule: Rule{
			ID: "max-sockets", Kind: rule.Refused, Field: "domain.cpu.sockets", Source: sourceInstance,
			Problem: "more than domain.cpu.maxSockets",
		},
		broken: plain(func(v *spec) bool {
			c := v.Domain.CPU
			return c != nil && c.MaxSockets != 0 && c.Sockets > c.MaxSockets
		}),
	},
	{
		Rule: Rule{
			ID: "cpu-features", Kind: rule.Refused, Field: "domain.cpu.features", Source: sourceInstance,
			Problem: "invalid policy of a feature; accepted: force, require, optional, disable, forbid",
		},
		broken: plain(func(v *spec) bool {
			if v.Domain.CPU == nil {
				return false
			}
			for i := range v.Domain.CPU.Features {
				if !slices.Contains([]string{"", "force", "require", "optional", "disable", "forbid"}, v.Domain.CPU.Features[i].Policy) {
					return true
				}
			}
			return false
		}),
	},
	{
		Rule: Rule{
			ID: "isolated-emulator", Kind: rule.Conflict, Field: "domain.cpu.isolateEmulatorThread", Source: sourceInstance,
			Problem: "needs dedicated processors; set domain.cpu.dedicatedCpuPlacement, or remove it",
		},
		broken: func(s *subject, v *spec) bool {
			return !s.sized() && v.Domain.CPU != nil && v.Domain.CPU.IsolateEmulatorThread && !isPinned(v)
		},
	},
	{
		Rule: Rule{
			ID: "numa-dedicated", Kind: rule.Conflict, Field: "domain.cpu.numa", Source: sourceInstance,
			Problem: "needs dedicated processors; set domain.cpu.dedicatedCpuPlacement, or remove it",
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && isMapped(v) && !isPinned(v) },
	},
	{
		Rule: Rule{
			ID: "numa-hugepages", Kind: rule.Conflict, Field: "domain.cpu.numa", Source: sourceInstance,
			Problem: "needs huge pages; set domain.memory.hugepages, or remove it",
		},
		broken: func(s *subject, v *spec) bool {
			return !s.sized() && isMapped(v) && (v.Domain.Memory == nil || v.Domain.Memory.Hugepages == nil)
		},
	},
	{
		Rule: Rule{
			ID: "realtime-dedicated", Kind: rule.Conflict, Field: "domain.cpu.realtime", Source: sourceInstance,
			Problem: "needs dedicated processors; set domain.cpu.dedicatedCpuPlacement, or remove it",
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && isRealtime(v) && !isPinned(v) },
	},
	{
		Rule: Rule{
			ID: "realtime-numa", Kind: rule.Conflict, Field: "domain.cpu.realtime", Source: sourceInstance,
			Problem: "needs the NUMA mapping; set domain.cpu.numa.guestMappingPassthrough, or remove it",
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && isRealtime(v) && !isMapped(v) },
	},
	pinnedRule("memory", "needs memory; set domain.memory.guest", func(v *spec) bool {
		return !hasMemory(v) && v.Domain.Resources.Limits.Memory().IsZero()
	}),
	pinnedRule("whole", "needs whole processors under domain.resources", func(v *spec) bool {
		r := &v.Domain.Resources
		return !isWhole(r.Requests.Cpu()) || !isWhole(r.Limits.Cpu())
	}),
	pinnedRule("equal-cpu", "needs the same request and limit of processors under domain.resources", func(v *spec) bool {
		request, limit := v.Domain.Resources.Requests.Cpu(), v.Domain.Resources.Limits.Cpu()
		return request.Sign() > 0 && limit.Sign() > 0 && request.Cmp(*limit) != 0
	}),
	pinnedRule("equal-memory", "needs the same request and limit of memory under domain.resources", func(v *spec) bool {
		request, limit := v.Domain.Resources.Requests.Memory(), v.Domain.Resources.Limits.Memory()
		return request.Sign() > 0 && limit.Sign() > 0 && request.Cmp(*limit) != 0
	}),
	pinnedRule("topology", "needs as many processors under domain.resources as sockets, cores and threads make", func(v *spec) bool {
		request, limit, n := v.Domain.Resources.Requests.Cpu().Value(), v.Domain.Resources.Limits.Cpu().Value(), vCPUs(v)
		return (request > 0 || limit > 0) && n > 0 && request != n && limit != n
	}),
	pinnedRule("threads", "accepts at most 2 threads per core, and on arm64 only 1", func(v *spec) bool {
		return v.Domain.CPU.Threads > 2 || v.Domain.CPU.Threads > 1 && v.Architecture == "arm64"
	}),
}

// hasPlacement reports whether a VM sets more of its processors than their number and model.
func hasPlacement(_ *subject, v *spec) bool {
	c := v.Domain.CPU
	return c != nil && (c.MaxSockets != 0 || len(c.Features) > 0 || c.DedicatedCPUPlacement || c.IsolateEmulatorThread ||
		c.NUMA != nil || c.Realtime != nil)
}

// pinnedRule returns a rule of VMs with dedicated processors.
func pinnedRule(name, problem string, broken func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: "dedicated-" + name, Kind: rule.Conflict, Field: "domain.cpu.dedicatedCpuPlacement", Source: sourceInstance,
			Problem: problem,
		},
		broken: func(s *subject, v *spec) bool { return !s.sized() && isPinned(v) && broken(v) },
	}
}

func isPinned(v *spec) bool { return v.Domain.CPU != nil && v.Domain.CPU.DedicatedCPUPlacement }

// isMapped reports whether the guest sees the NUMA nodes of the host.
func isMapped(v *spec) bool {
	c := v.Domain.CPU
	return c != nil && c.NUMA != nil && c.NUMA.GuestMappingPassthrough != nil
}

func isRealtime(v *spec) bool { return v.Domain.CPU != nil && v.Domain.CPU.Realtime != nil }
