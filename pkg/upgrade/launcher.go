package upgrade

import (
	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// launcherFacts are what users report of live migrations from the launchers of one version to those of another, which
// contain QEMU and libvirt (KubeVirt v1.6.2 and v1.7.0: QEMU 9.1.0, libvirt 10.10.0; v1.8.4: QEMU 10.1.0, libvirt 11.9.0;
// hack/rpm-deps.sh). KubeVirt's own code does not contain them, so each is a report and no proof.
var launcherFacts = []Fact{
	unmovable("1.7", Condition{"it runs, and can live-migrate", (*Upgraded).movesOver},
		"QEMU does not load the state of virtio-net", "https://github.com/kubevirt/kubevirt/issues/16386: 1.6.2 to 1.7.0, 1.6.3 to 1.8.2"),
	unmovable("1.8", Condition{"it runs with more than one CPU, and can live-migrate", func(u *Upgraded) bool {
		return u.movesOver() && u.hasSeveralCPUs()
	}}, `libvirt finds "extra features: ht"`, "https://github.com/harvester/harvester/issues/11615: 1.7.4 to 1.8.4"),
}

// unmovable returns the reported fact that VMs cannot live-migrate out of the launchers of an older version.
func unmovable(version string, condition Condition, symptom, source string) Fact {
	return Fact{
		Product: "kubevirt", Version: version, If: condition, Level: impact.Restart, Reported: true,
		When: "before the VM can live-migrate again",
		Reason: "users report that a VM that an older version has started cannot live-migrate to this one (" + symptom +
			"): drains of its node wait, and workloadUpdateMethods with Evict shuts it down",
		Advice: "live-migrate one such VM as soon as the upgrade is done (virtctl migrate); if that fails, plan a restart of the others",
		Open:   func(*Upgraded) string { return "whether it happens here: it is reported, not proven" },
		Source: source,
	}
}

// movesOver reports whether a VM may have to live-migrate out of the launcher of the version before.
func (u *Upgraded) movesOver() bool {
	return !u.isNew() && u.Runs() != cluster.No && u.Migratable() != cluster.No
}

// hasSeveralCPUs reports whether a VM has more than one CPU, or may have: its instance type or the default decides.
func (u *Upgraded) hasSeveralCPUs() bool {
	cpu := manifest.At(world.Spec(u.New), "domain", "cpu")
	threads := 1
	for _, field := range []string{"sockets", "cores", "threads"} {
		threads *= max(1, quantities.Count(manifest.At(cpu, field), 1))
	}
	return threads > 1 || manifest.At(u.New, "spec", "instancetype") != nil
}
