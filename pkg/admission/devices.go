package admission

import (
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// guestRules are about the start of the guest, its name and its name servers.
var guestRules = []row[spec]{
	{
		Rule: Rule{
			ID: "hostname", Kind: rule.BadName, Field: "hostname", Source: sourceInstance,
			Problem: "invalid host name %q; expected at most 63 lower case letters, digits and -",
		},
		got:    func(v *spec) string { return v.Hostname },
		broken: plain(func(v *spec) bool { return v.Hostname != "" && len(validation.IsDNS1123Label(v.Hostname)) > 0 }),
	},
	{
		Rule: Rule{
			ID: "subdomain", Kind: rule.BadName, Field: "subdomain", Source: sourceInstance,
			Problem: "invalid domain %q; expected lower case letters, digits, - and .",
		},
		got:    func(v *spec) string { return v.Subdomain },
		broken: plain(func(v *spec) bool { return v.Subdomain != "" && len(validation.IsDNS1123Subdomain(v.Subdomain)) > 0 }),
	},
	enum(Rule{ID: "start-strategy", Kind: rule.Refused, Field: "startStrategy", Source: sourceInstance}, "start strategy",
		func(v *spec) string { return textOfPointer(v.StartStrategy) }, "Paused"),
	{
		Rule: Rule{
			ID: "paused-probe", Kind: rule.Conflict, Field: "startStrategy", Source: sourceInstance,
			Problem: "KubeVirt does not start a VM with a livenessProbe as paused; remove one of them",
		},
		broken: plain(func(v *spec) bool { return v.StartStrategy != nil && v.LivenessProbe != nil }),
	},
	enum(Rule{ID: "dns-policy", Kind: rule.Refused, Field: "dnsPolicy", Source: sourceInstance}, "policy",
		func(v *spec) string { return string(v.DNSPolicy) }, "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
	{
		Rule: Rule{
			ID: "dns-none", Kind: rule.MissingKey, Field: "dnsPolicy", Source: sourceInstance,
			Problem: `the policy "None" needs name servers; set dnsConfig.nameservers`,
		},
		broken: plain(func(v *spec) bool {
			return v.DNSPolicy == corev1.DNSNone && (v.DNSConfig == nil || len(v.DNSConfig.Nameservers) == 0)
		}),
	},
	{
		Rule: Rule{
			ID: "name-servers", Kind: rule.BadIP, Field: "dnsConfig.nameservers", Source: sourceInstance,
			Problem: "expected at most 3 IP addresses",
		},
		broken: plain(func(v *spec) bool {
			isBad := func(ip string) bool { return net.ParseIP(ip) == nil }
			return v.DNSConfig != nil && (len(v.DNSConfig.Nameservers) > 3 || slices.ContainsFunc(v.DNSConfig.Nameservers, isBad))
		}),
	},
	{
		Rule: Rule{
			ID: "search-domains", Kind: rule.BadName, Field: "dnsConfig.searches", Source: sourceInstance,
			Problem: "expected at most 6 domains with 256 characters in total, of lower case letters, digits, - and .",
		},
		broken: plain(func(v *spec) bool {
			isBad := func(name string) bool { return len(validation.IsDNS1123Subdomain(name)) > 0 }
			return v.DNSConfig != nil && (len(v.DNSConfig.Searches) > 6 || len(strings.Join(v.DNSConfig.Searches, " ")) > 256 ||
				slices.ContainsFunc(v.DNSConfig.Searches, isBad))
		}),
	},
	{
		Rule: Rule{
			ID: "dns-options", Kind: rule.MissingKey, Field: "dnsConfig.options", Source: sourceInstance, Problem: "an option has no name",
		},
		broken: plain(func(v *spec) bool {
			return v.DNSConfig != nil && slices.ContainsFunc(v.DNSConfig.Options, func(o corev1.PodDNSConfigOption) bool { return o.Name == "" })
		}),
	},
}

// hasGuestSettings reports whether a VM sets anything that guestRules are about.
func hasGuestSettings(_ *subject, v *spec) bool {
	return v.Hostname != "" || v.Subdomain != "" || v.StartStrategy != nil || v.DNSPolicy != "" ||
		v.DNSConfig != nil
}

// reservedLabels are those of instances that only KubeVirt sets.
var reservedLabels = []string{
	kubevirtv1.CreatedByLabel, kubevirtv1.MigrationJobLabel, kubevirtv1.NodeNameLabel, kubevirtv1.MigrationTargetNodeNameLabel,
	kubevirtv1.NodeSchedulable, kubevirtv1.InstallStrategyLabel,
}

// deviceRules are about what most VMs have: lists of devices as a whole, the eviction strategy, and the labels of the pod.
var deviceRules = []row[spec]{
	enum(Rule{ID: "eviction-strategy", Kind: rule.Refused, Field: "evictionStrategy", Source: sourceInstance}, "eviction strategy",
		func(v *spec) string { return textOfPointer(v.EvictionStrategy) },
		"None", "LiveMigrate", "LiveMigrateIfPossible", "External"),
	{
		Rule: Rule{
			ID: "reserved-labels", Kind: rule.Refused, Field: "/spec.template.metadata.labels", Source: sourceInstance,
			Problem: "a label is KubeVirt's own, which only KubeVirt sets; remove it",
		},
		broken: func(s *subject, _ *spec) bool {
			for _, key := range reservedLabels {
				if _, ok := s.vm.Spec.Template.ObjectMeta.Labels[key]; ok {
					return true
				}
			}
			return false
		},
	},
	{
		Rule: Rule{
			ID: "pod-networks", Kind: rule.Conflict, Field: "networks", Source: sourceNetwork,
			Problem: "more than one NIC is on the pod network",
		},
		broken: plain(func(v *spec) bool { return countNetworks(v, isPod) > 1 }),
	},
	{
		Rule: Rule{
			ID: "default-networks", Kind: rule.Conflict, Field: "networks", Source: sourceNetwork,
			Problem: "more than one network of Multus is the default, or one next to the pod network",
		},
		broken: plain(func(v *spec) bool {
			n := countNetworks(v, isDefault)
			return n > 1 || n == 1 && countNetworks(v, isPod) > 0
		}),
	},
	{
		Rule: Rule{
			ID: "boot-order", Kind: rule.Duplicate, Field: "domain.devices.disks", Source: sourceInstance,
			Problem: "two devices have the same bootOrder",
		},
		broken: plain(sharesBootOrder),
	},
	{
		Rule: Rule{
			ID: "single-volumes", Kind: rule.Conflict, Field: "volumes", Source: sourceInstance,
			Problem: "more than one volume of a kind of which a VM has at most one: serviceAccount, downwardMetrics, memoryDump",
		},
		broken: plain(func(v *spec) bool {
			var n [3]int
			for i := range v.Volumes {
				n[0] += count(v.Volumes[i].ServiceAccount != nil)
				n[1] += count(v.Volumes[i].DownwardMetrics != nil)
				n[2] += count(v.Volumes[i].MemoryDump != nil)
			}
			return max(n[0], n[1], n[2]) > 1
		}),
	},
}

// extraRules are about devices that few VMs have.
var extraRules = []row[spec]{
	{
		Rule: Rule{
			ID: "inputs", Kind: rule.Refused, Field: "domain.devices.inputs", Source: sourceInstance,
			Problem: "invalid input device; expected the type tablet on the bus usb or virtio",
		},
		broken: plain(func(v *spec) bool {
			return slices.ContainsFunc(v.Domain.Devices.Inputs, func(i kubevirtv1.Input) bool {
				return i.Type != "tablet" || i.Bus != "" && i.Bus != "usb" && i.Bus != "virtio"
			})
		}),
	},
	enum(Rule{ID: "io-threads-policy", Kind: rule.Refused, Field: "domain.ioThreadsPolicy", Source: sourceInstance}, "policy of I/O threads",
		func(v *spec) string { return textOfPointer(v.Domain.IOThreadsPolicy) }, "auto", "shared", "supplementalPool"),
	{
		Rule: Rule{
			ID: "io-threads", Kind: rule.MissingKey, Field: "domain.ioThreadsPolicy", Source: sourceInstance,
			Problem: "the policy supplementalPool needs a number of I/O threads; set domain.ioThreads.supplementalPoolThreadCount",
		},
		broken: func(s *subject, v *spec) bool {
			t := v.Domain.IOThreads
			return !s.sized() && textOfPointer(v.Domain.IOThreadsPolicy) == "supplementalPool" &&
				(t == nil || t.SupplementalPoolThreadCount == nil || *t.SupplementalPoolThreadCount < 1)
		},
	},
	{
		Rule: Rule{
			ID: "sound", Kind: rule.Refused, Field: "domain.devices.sound", Source: sourceInstance,
			Problem: "invalid sound device; expected a name, and the model ich9 or ac97",
		},
		broken: plain(func(v *spec) bool {
			d := v.Domain.Devices.Sound
			return d != nil && (d.Name == "" || d.Model != "" && d.Model != "ich9" && d.Model != "ac97")
		}),
	},
	{
		Rule: Rule{
			ID: "video-graphics", Kind: rule.Conflict, Field: "domain.devices.video", Source: sourceInstance,
			Problem: "needs the graphics device; remove it, or `autoattachGraphicsDevice: false`",
		},
		broken: plain(func(v *spec) bool {
			return v.Domain.Devices.Video != nil && !isOn(v.Domain.Devices.AutoattachGraphicsDevice)
		}),
	},
	{
		Rule: Rule{
			ID: "panic-devices", Kind: rule.Refused, Field: "domain.devices.panicDevices", Source: sourceInstance,
			Problem: "invalid model of a panic device; accepted: hyperv, isa, pvpanic, and none on s390x",
		},
		broken: plain(func(v *spec) bool {
			list := v.Domain.Devices.PanicDevices
			return len(list) > 0 && v.Architecture == "s390x" || slices.ContainsFunc(list, func(d kubevirtv1.PanicDevice) bool {
				return !slices.Contains([]string{"", "hyperv", "isa", "pvpanic"}, textOfPointer(d.Model))
			})
		}),
	},
	{
		Rule: Rule{
			ID: "utility-volumes", Kind: rule.Refused, Field: "utilityVolumes", Source: sourceInstance,
			Problem: "no VM is created with utility volumes; remove them",
		},
		broken: plain(func(v *spec) bool { return v.UtilityVolumes != nil }),
	},
}

func hasExtras(_ *subject, v *spec) bool {
	d := &v.Domain.Devices
	return len(d.Inputs) > 0 || v.Domain.IOThreadsPolicy != nil || d.Sound != nil || d.Video != nil || len(d.PanicDevices) > 0 ||
		v.UtilityVolumes != nil
}

func isPod(n *kubevirtv1.Network) bool { return n.Pod != nil }

func isDefault(n *kubevirtv1.Network) bool { return n.Multus != nil && n.Multus.Default }

func countNetworks(v *spec, is func(*kubevirtv1.Network) bool) int {
	n := 0
	for i := range v.Networks {
		n += count(is(&v.Networks[i]))
	}
	return n
}

// sharesBootOrder reports whether two disks or NICs have the same place in the boot order.
func sharesBootOrder(v *spec) bool {
	var orders []uint
	for i := range v.Domain.Devices.Disks {
		if o := v.Domain.Devices.Disks[i].BootOrder; o != nil {
			orders = append(orders, *o)
		}
	}
	for i := range v.Domain.Devices.Interfaces {
		if o := v.Domain.Devices.Interfaces[i].BootOrder; o != nil {
			orders = append(orders, *o)
		}
	}
	return hasDuplicates(orders, func(o *uint) string { return string(rune(*o)) })
}

// volume returns the volume of a name, or nil.
func (s *subject) volume(name string) *kubevirtv1.Volume {
	for i := range s.Volumes {
		if s.Volumes[i].Name == name {
			return &s.Volumes[i]
		}
	}
	return nil
}

// network returns the network of a name, or nil.
func (s *subject) network(name string) *kubevirtv1.Network {
	for i := range s.Networks {
		if s.Networks[i].Name == name {
			return &s.Networks[i]
		}
	}
	return nil
}
