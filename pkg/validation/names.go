package validation

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// checkNames checks the lengths of all names that are derived from the VM's.
func (d *decided) checkNames(m *machine.Machine) {
	if d.entry.BadName {
		return
	}
	if problem := values.NameProblem(m.Name); problem != "" {
		d.errorf(d.entry.Pos, rule.BadName, "", "%s", problem)
		return
	}
	most := values.MaxName - d.nameRoom(m)
	check := func(name string, path ...string) {
		if len(name) > most {
			d.errorf(d.entry.Pos, rule.BadName, strings.Join(path, "."),
				"%q has %d characters; at most %d are accepted: shorten the name of the VM", name, len(name), most)
		}
	}
	check(m.Name)
	if m.Lifecycle.Ansible != nil { // which leaves room for the name of a CronJob, VM-patch, of at most 52 characters
		check(m.Name+"-ansible-01234567", "lifecycle.ansible")
	}
	for i := range m.Disks {
		if disk := &m.Disks[i]; disk.Kind == machine.DiskDataVolume && d.vm.Disks[disk.Name].ClaimName == "" {
			check(disk.Claim, "disks", disk.Name)
		}
	}
	for i := range m.Services {
		svc := &m.Services[i]
		check(svc.Name, "services", svc.Key)
		// Kubernetes v1.34, pkg/apis/core/validation, ValidateServiceName
		if svc.Name[0] <= '9' {
			d.errorf(d.entry.KeyAt("services", svc.Key), rule.BadName, "services."+svc.Key,
				"the name of a Service starts with a letter, and %q does not; rename the VM", svc.Name)
		}
	}
	for i := range m.Objects {
		check(m.Objects[i].Name, "objects."+m.Objects[i].Key)
	}
	if c := m.CloudInit; c != nil {
		check(c.SecretName, "cloudInit")
	}
}

// nameRoom returns the number of characters that are appended to the names of
// the VM's objects: a hash of the content, or the number of a VM in a pool.
func (d *decided) nameRoom(m *machine.Machine) int {
	switch {
	case d.traits.NamedByContent:
		return machine.HashLength
	case d.traits.Pooled:
		return 1 + len(strconv.Itoa(int(m.Lifecycle.Replicas)))
	}
	return 0
}
