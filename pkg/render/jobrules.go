package render

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/vmrender/vmrender/pkg/approval"
)

// The rules below allow exactly what package rollout requests from the API server.

// rolloutRules returns the rules of a rollout, whose Lease is named like its
// ServiceAccount. RBAC cannot limit creation to a name.
func rolloutRules(name string, _ *job) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "list", "watch"),
		allow("subresources.kubevirt.io", []string{"virtualmachines/restart"}, "update"),
		allow("cdi.kubevirt.io", []string{"datavolumes"}, "list", "watch", "delete"),
		allow("coordination.k8s.io", []string{"leases"}, "create"),
		only(allow("coordination.k8s.io", []string{"leases"}, "get", "update"), name),
		only(allow("", []string{"serviceaccounts"}, "get"), name),
		allow("", []string{"events"}, "create"),
	}
}

// windowRules returns the rules of a maintenance window: it restarts only its own VMs.
func windowRules(name string, of *job) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "list", "watch"),
		only(allow("subresources.kubevirt.io", []string{"virtualmachines/restart"}, "update"), of.args...),
		allow("cdi.kubevirt.io", []string{"datavolumes"}, "list", "watch"),
		allow("coordination.k8s.io", []string{"leases"}, "create"),
		only(allow("coordination.k8s.io", []string{"leases"}, "get", "update"), name),
		only(allow("", []string{"serviceaccounts"}, "get"), name),
		allow("", []string{"events"}, "create"),
	}
	if len(of.snapshots) > 0 {
		rules = append(rules,
			only(allow("kubevirt.io", []string{"virtualmachines"}, "get"), of.snapshots...),
			allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "list", "create"),
		)
	}
	return rules
}

func snapshotRules(string, *job) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		allow("kubevirt.io", []string{"virtualmachines"}, "get"),
		allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "list", "create"),
	}
}

// restoreRules returns the rules of restores, whose arguments are VM=SNAPSHOT@TOKEN, with what is approved. RBAC cannot
// limit creation to a name, and KubeVirt chooses the names of the contents of snapshots.
func restoreRules(_ string, of *job) []rbacv1.PolicyRule {
	n := len(of.args)
	vms, from, objects := make([]string, 0, n), make([]string, 0, n), make([]string, 0, n)
	for _, arg := range of.args {
		vm, value, _ := strings.Cut(arg, "=")
		restore := approval.ParseRestore(value)
		vms, from = append(vms, vm), append(from, restore.Snapshot)
		objects = append(objects, restore.Object(vm))
	}
	return []rbacv1.PolicyRule{
		only(allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "get"), vms...),
		only(allow("subresources.kubevirt.io", []string{"virtualmachines/start"}, "update"), vms...),
		only(allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "get"), from...),
		allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshotcontents"}, "get"),
		allow("snapshot.kubevirt.io", []string{"virtualmachinerestores"}, "create"),
		only(allow("snapshot.kubevirt.io", []string{"virtualmachinerestores"}, "get"), objects...),
	}
}

// scheduleRules returns the rules of snapshots on a schedule, which are of its own VMs. RBAC cannot limit the creation
// and deletion of snapshots to those of some VMs.
func scheduleRules(_ string, of *job) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		only(allow("kubevirt.io", []string{"virtualmachines"}, "get"), of.args...),
		allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "list", "create", "delete"),
		allow("snapshot.kubevirt.io", []string{"virtualmachinerestores"}, "list"),
	}
}

// powerRules returns the rules of power: it reads, stops and starts only its own VMs, and only as it has times for it.
func powerRules(name string, of *job) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		only(allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "get"), of.args...),
		only(allow("subresources.kubevirt.io", of.power.subresources(), "update"), of.args...),
		allow("coordination.k8s.io", []string{"leases"}, "create"),
		only(allow("coordination.k8s.io", []string{"leases"}, "get", "update"), name),
		only(allow("", []string{"serviceaccounts"}, "get"), name),
		allow("", []string{"events"}, "create"),
	}
}

// patchRules returns the rules of Ansible on a schedule, which reads only its own VM. RBAC cannot limit the creation of
// jobs and snapshots to those of a VM.
func patchRules(_ string, of *job) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		only(allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "get"), of.args...),
		allow(of.ansible.Group, []string{of.ansible.Resource}, "list", "create"),
		allow("", []string{"events"}, "create"),
	}
	if len(of.snapshots) > 0 {
		rules = append(rules, allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "list", "create"))
	}
	return rules
}

// allow returns a rule of a Role.
func allow(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// only returns a rule that applies only to the objects with some names.
func only(rule rbacv1.PolicyRule, names ...string) rbacv1.PolicyRule {
	rule.ResourceNames = slices.Sorted(slices.Values(names))
	return rule
}
