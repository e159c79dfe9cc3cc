package validation

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// agentPackage is the name of the guest agent's package in all distributions.
const agentPackage = "qemu-guest-agent"

// warnOfGuestAgent warns of keys that need the guest agent, if the image is known to lack it and the user data is known
// not to install it. It is not an error, because users can install it in the guest.
func (d *decided) warnOfGuestAgent(c *machine.CloudInit) {
	isPatched := d.vm.Overrides.IsSet() || len(d.vm.Patches) > 0 // which can change the user data
	if values.IsTrue(d.vm.Adopted) || isPatched || !d.lacksAgent() || c != nil && d.mayInstallAgent(&c.CloudInit) {
		return
	}
	advice := "add it with `cloudInit: {packages+: [" + agentPackage + "]}`"
	if c != nil && c.UserData != "" {
		advice = "add the package " + agentPackage + " to `cloudInit.userData`"
	}
	for _, need := range d.needsAgent() {
		d.diags.Warnf(d.entry.KeyAt(need.keys...), rule.GuestAgent, d.entry.Path+"."+strings.Join(need.keys, "."),
			"%s, which the image of %q does not contain, and the user data does not install; %s",
			need.why, d.entry.OS.Name, advice)
	}
}

// lacksAgent reports whether the root disk has the image of the operating system, and that is known to lack the agent.
// What is built in about an image holds for the image that is built in.
func (d *decided) lacksAgent() bool {
	os := d.entry.OS
	if os.GuestAgent == nil || *os.GuestAgent || !d.entry.FromOS("disks", values.RootDisk, "source") {
		return false
	}
	image := d.entry.Keys.Get("disks", values.RootDisk, "source")
	return catalog.IsBuiltin(image.Pos()) || !catalog.IsBuiltin(os.Node.Get("guestAgent").Pos())
}

// agentNeed is a key of a VM that needs the guest agent.
type agentNeed struct {
	keys []string
	why  string
}

// needsAgent returns the keys of the VM that need the guest agent.
func (d *decided) needsAgent() []agentNeed {
	var out []agentNeed
	add := func(why string, keys ...string) {
		if n := d.entry.Keys.Get(keys...); n.IsSet() {
			out = append(out, agentNeed{keys, why})
		}
	}
	// Both are run by the agent (kubevirt/kubevirt v1.8.4, cmd/virt-probe/virt-probe.go).
	for _, probe := range []string{"readinessProbe", "livenessProbe"} {
		add("the probe needs the guest agent", probe, "guestAgentPing")
		add("the probe needs the guest agent", probe, "exec")
	}
	add("the password is set by the guest agent", "cloudInit", "passwordSecret")
	// Without it, a snapshot of a running VM is taken anyway (pkg/storage/snapshot/snapshot.go, v1.8.4).
	const freezes = "file systems are frozen for a snapshot by the guest agent"
	add(freezes, "snapshots")
	if lc := d.vm.Lifecycle; lc != nil && values.IsTrue(lc.SnapshotBefore) {
		add(freezes, "lifecycle", "snapshotBefore")
	}
	if values.IsTrue(d.vm.Backup) {
		add("file systems are frozen for a backup by the guest agent", "backup")
	}
	return out
}

// installers are the keys of cloud-config, except those of package lists, that can install anything.
var installers = []string{"ansible", "bootcmd", "chef", "landscape", "puppet", "runcmd", "salt_minion"}

// mayInstallAgent reports whether user data installs the guest agent, or can do so in a way that only the guest shows.
func (d *decided) mayInstallAgent(c *values.CloudInit) bool {
	isAgent := func(name string) bool { return strings.HasPrefix(name, agentPackage) }
	switch {
	case c.Secret != "":
		return true
	case c.UserData != "":
		return mayInstallByText(c.UserData)
	case slices.ContainsFunc(c.Packages, isAgent), slices.ContainsFunc(c.RunCmd, mayInstallByCommand):
		return true
	}
	return slices.ContainsFunc(installers, func(key string) bool { return c.Extra.Get(key).IsSet() })
}

// mayInstallByCommand reports whether a command can install a package: any except a call of systemctl alone.
func mayInstallByCommand(c values.Command) bool {
	text := strings.TrimSpace(strings.Join(append([]string{c.Shell}, c.Args...), " "))
	return !strings.HasPrefix(text, "systemctl ") || strings.ContainsAny(text, ";&|\n`$")
}

// mayInstallByText does what mayInstallAgent does for whole user data. Only cloud-config is known: scripts and included
// files can install anything.
func mayInstallByText(text string) bool {
	isConfig := strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "#cloud-config")
	return !isConfig || strings.Contains(text, agentPackage) ||
		slices.ContainsFunc(installers, func(key string) bool { return strings.Contains(text, key+":") })
}
