package policies_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// These are the users who make requests.
var (
	admin             = user("admin", "system:masters")
	developer         = user("dora", "developers")
	networkAdmin      = user("nils", "developers", "network-admins")
	localNetworkAdmin = user("local-network-admin", "developers")
	protectionAdmin   = user("petra", "developers", "protection-admins")
	kubeVirt          = serviceAccount("openshift-cnv", "kubevirt-controller")
	forklift          = serviceAccount("openshift-mtv", "forklift-controller")
	argoCD            = serviceAccount("team", "argocd")
	rollout           = serviceAccount("team", "shop-1a2b3c4d-rollout")
)

func user(name string, groups ...string) rest.ImpersonationConfig {
	return rest.ImpersonationConfig{UserName: name, Groups: append(groups, "system:authenticated")}
}

func serviceAccount(namespace, name string) rest.ImpersonationConfig {
	return user("system:serviceaccount:"+namespace+":"+name, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
}

// attempt is a request with its expected outcome. It creates the object, unless the
// object exists from before the policies and is changed or removed.
type attempt struct {
	name   string
	as     rest.ImpersonationConfig
	object *unstructured.Unstructured
	change func(*unstructured.Unstructured)
	// subresource is what is changed of the object, such as scale; empty for the object itself.
	subresource string
	remove      bool
	propagation *metav1.DeletionPropagation // of a removal
	refused     string                      // part of the refusal; empty if the request is admitted
	warning     string                      // part of a warning
}

const (
	foreign  = "de:ad:be:ef:00:01"
	pooled   = "02:00:00:AB:cd:01"
	nothing  = ""
	ofNoPool = "is not from KubeMacPool"
)

// attempts returns all attempts; each object has a name of its own.
func attempts() []attempt {
	var all []attempt
	for _, some := range [][]attempt{namespaceAttempts(), addressAttempts(), carrierAttempts(), changedAddressAttempts(), optOutAttempts(), protectionAttempts(), rolloutAttempts(), modelAttempts(), catalogueAttempts(), cloneAttempts(), imageAttempts(), serviceAccountAttempts(), bypassAttempts()} {
		all = append(all, some...)
	}
	return named("attempt", all)
}

// named sets a different name for each object of the attempts.
func named(prefix string, all []attempt) []attempt {
	for i, a := range all {
		a.object.SetName(fmt.Sprintf("%s-%d", prefix, i))
	}
	return all
}

func namespaceAttempts() []attempt {
	const refused = "namespace default is not for virtual machines"
	return []attempt{
		{name: "machine in default", as: developer, object: machine("default"), refused: refused},
		{name: "machine in default by an administrator", as: admin, object: machine("default"), refused: refused},
		{name: "instance in default", as: developer, object: machineInstance("default"), refused: refused},
		{name: "replica set in default", as: developer, object: replicaSet("default"), refused: refused},
		{name: "pool in default", as: developer, object: nodePool("default"), refused: refused},
		{name: "clone in default", as: developer, object: clone("default", object{}), refused: refused},
		{name: "restore in default", as: developer, object: restore("default")},
		{name: "instance in default by KubeVirt, of a VM from before", as: kubeVirt, object: machineInstance("default")},
		{name: "change in default of a VM from before", as: developer, object: machine("default"), change: halt},
		{name: "removal from default", as: developer, object: machine("default"), remove: true},
		{name: "machine elsewhere", as: developer, object: machine("team")},
	}
}

// A rollout deletes only root disks of cattle. No other client is checked.
func rolloutAttempts() []attempt {
	root := labelled(disk("team"), map[string]string{"vmrender.io/disk": "root"})
	const refused = "is not a root disk of cattle"
	return []attempt{
		{name: "root disk deleted by a rollout", as: rollout, object: root, remove: true},
		{name: "kept disk deleted by a rollout", as: rollout, object: disk("team"), remove: true, refused: refused},
		{name: "kept disk deleted by an administrator", as: admin, object: disk("team"), remove: true},
	}
}

func addressAttempts() []attempt {
	return []attempt{
		{name: "no interfaces", as: developer, object: machine("team")},
		{name: "address of KubeMacPool", as: developer, object: machine("team", nothing, nothing)},
		{name: "address within the range", as: developer, object: machine("team", pooled)},
		{name: "last address of the range", as: developer, object: machine("team", "02:00:00:ff:ff:ff")},
		{name: "first address after the range", as: developer, object: machine("team", "02:00:01:00:00:00"), refused: "MAC address 020001000000 " + ofNoPool},
		{name: "chosen address", as: developer, object: machine("team", foreign), refused: "MAC address deadbeef0001 " + ofNoPool},
		{name: "chosen address among others", as: developer, object: machine("team", nothing, foreign, pooled), refused: "MAC address deadbeef0001 " + ofNoPool},
		{name: "chosen address with dashes", as: developer, object: machine("team", "DE-AD-BE-EF-00-01"), refused: ofNoPool},
		{name: "chosen address with dots", as: developer, object: machine("team", "dead.beef.0001"), refused: ofNoPool},
		{name: "pool's address with dots", as: developer, object: machine("team", "0200.0012.3456")},
		{name: "chosen address where KubeMacPool is off", as: developer, object: machine("unpooled", foreign), refused: ofNoPool},
		{name: "no address where KubeMacPool is off", as: developer, object: machine("unpooled", nothing)},
		{name: "chosen address by a holder of set-mac", as: networkAdmin, object: machine("team", foreign)},
		{name: "chosen address by an administrator", as: admin, object: machine("team", foreign)},
		{name: "chosen address by a holder in its namespace", as: localNetworkAdmin, object: machine("team", foreign)},
		{name: "chosen address by a holder in another namespace", as: localNetworkAdmin, object: machine("other", foreign), refused: ofNoPool},
		{name: "chosen address by a service account", as: argoCD, object: machine("team", foreign), refused: ofNoPool},
		{name: "address of a restored or cloned VM", as: kubeVirt, object: machine("team", foreign)},
		{name: "address of a migrated VM", as: forklift, object: machine("team", foreign)},
	}
}

// carrierAttempts returns attempts that choose addresses in objects from which KubeVirt creates VMs.
func carrierAttempts() []attempt {
	const (
		replace = `{"op": "replace", "path": "/spec/template/spec/domain/devices/interfaces/0/macAddress", "value": %q}`
		rename  = `{"op": "replace", "path": "/metadata/name", "value": "db-2"}`
	)
	return []attempt{
		{name: "instance", as: developer, object: machineInstance("team", foreign), refused: ofNoPool},
		{name: "instance of a VM", as: kubeVirt, object: machineInstance("team", foreign)},
		{name: "instance without address", as: developer, object: machineInstance("team", nothing)},
		{name: "replica set", as: developer, object: replicaSet("team", foreign), refused: ofNoPool},
		{name: "replica set without address", as: developer, object: replicaSet("team", nothing)},
		{name: "pool", as: developer, object: nodePool("team", foreign), refused: ofNoPool},
		{name: "pool by a holder of set-mac", as: networkAdmin, object: nodePool("team", foreign)},
		{name: "pool without address", as: developer, object: nodePool("team", nothing)},
		{name: "clone", as: developer, object: clone("team", object{"nic0": foreign}), refused: ofNoPool},
		{name: "clone by a holder of set-mac", as: networkAdmin, object: clone("team", object{"nic0": foreign})},
		{name: "clone with a patch", as: developer, object: clone("team", object{}, fmt.Sprintf(replace, foreign)), refused: ofNoPool},
		{name: "clone without address", as: developer, object: clone("team", object{}, rename)},
		{name: "restore", as: developer, object: restore("team", rename, fmt.Sprintf(replace, "de-ad-be-ef-00-01")), refused: ofNoPool},
		{name: "restore by a holder of set-mac", as: networkAdmin, object: restore("team", fmt.Sprintf(replace, foreign))},
		{name: "restore within the range", as: developer, object: restore("team", fmt.Sprintf(replace, pooled))},
		{name: "restore without address", as: developer, object: restore("team", rename)},
	}
}

func changedAddressAttempts() []attempt {
	return []attempt{
		{name: "other change of a chosen address from before", as: developer, object: machine("team", foreign), change: halt},
		{name: "other writing of a chosen address from before", as: developer, object: machine("team", foreign), change: address("DE-AD-BE-EF-00-01")},
		{name: "change to a chosen address", as: developer, object: machine("team", nothing), change: address(foreign), refused: ofNoPool},
		{name: "change of a chosen address", as: developer, object: machine("team", foreign), change: address("de:ad:be:ef:00:02"), refused: "MAC address deadbeef0002 " + ofNoPool},
		{name: "change of a chosen address by a holder of set-mac", as: networkAdmin, object: machine("team", foreign), change: address("de:ad:be:ef:00:02")},
		{name: "change from a chosen address to the pool's", as: developer, object: machine("team", foreign), change: address(pooled)},
	}
}

func optOutAttempts() []attempt {
	off := map[string]string{"mutatevirtualmachines.kubemacpool.io": "ignore"}
	const refused = "disables KubeMacPool"
	return []attempt{
		{name: "namespace without KubeMacPool", as: developer, object: labelled(namespace(), off), refused: refused},
		{name: "namespace without KubeMacPool by a holder of set-mac", as: networkAdmin, object: labelled(namespace(), off)},
		{name: "namespace with KubeMacPool", as: developer, object: namespace()},
		{name: "opting out", as: developer, object: namespace(), change: relabel(off), refused: refused},
		{name: "opting out by a holder of set-mac", as: networkAdmin, object: namespace(), change: relabel(off)},
		{name: "other change of what opted out before", as: developer, object: labelled(namespace(), off), change: annotate},
		{name: "opting in", as: developer, object: labelled(namespace(), off), change: relabel(nil)},
	}
}

func protectionAttempts() []attempt {
	const label = "kubevirt.io/vm-delete-protection"
	guarded := func(value string) *unstructured.Unstructured {
		return labelled(machine("team"), map[string]string{label: value})
	}
	const protects, removed = "protects the virtual machine", label + " is removed"
	return []attempt{
		{name: "deletion", as: developer, object: machine("team"), remove: true},
		{name: "deletion of a protected VM", as: developer, object: guarded("True"), remove: true, refused: protects},
		{name: "deletion of a protected VM, written otherwise", as: developer, object: guarded("true"), remove: true, refused: protects},
		{name: "deletion of a protected VM by an administrator", as: admin, object: guarded("True"), remove: true, refused: protects},
		{name: "deletion of a VM whose protection is off", as: developer, object: guarded("false"), remove: true},
		{name: "removal of protection", as: developer, object: guarded("True"), change: relabel(nil), refused: removed},
		{name: "protection switched off", as: developer, object: guarded("True"), change: relabel(map[string]string{label: "False"}), refused: removed},
		{name: "removal of protection by a holder of set-mac", as: networkAdmin, object: guarded("True"), change: relabel(nil), refused: removed},
		{name: "removal of protection by a holder of unprotect", as: protectionAdmin, object: guarded("True"), change: relabel(nil)},
		{name: "protection", as: developer, object: machine("team"), change: relabel(map[string]string{label: "True"})},
		{name: "other change of a protected VM", as: developer, object: guarded("True"), change: halt},
		{name: "other change of an unprotected VM", as: developer, object: machine("team"), change: halt},
	}
}

func modelAttempts() []attempt {
	nic := func(model string) *unstructured.Unstructured {
		nics := []any{object{"name": "nic0", "bridge": object{}, "model": model}}
		return with(machine("team", nothing), nics, "spec", "template", "spec", "domain", "devices", "interfaces")
	}
	return []attempt{
		{name: "virtio", as: developer, object: nic("virtio")},
		{name: "no model", as: developer, object: machine("team", nothing)},
		{name: "e1000e, which is only warned of", as: developer, object: nic("e1000e"), warning: "interface model e1000e is not allowed; expected virtio"},
	}
}

// catalogueAttempts returns attempts with instance types, run strategies and labels.
func catalogueAttempts() []attempt {
	complete := map[string]string{"example.com/owner": "dora", "example.com/tier": "gold"}
	approved := func(instancetype object, labels map[string]string) *unstructured.Unstructured {
		vm := labelled(machine("approved"), labels)
		unstructured.RemoveNestedField(vm.Object, "spec", "template", "spec", "domain", "memory")
		return with(vm, instancetype, "spec", "instancetype")
	}
	critical := func(strategy string) *unstructured.Unstructured {
		return labelled(with(machine("team"), strategy, "spec", "runStrategy"), map[string]string{"example.com/critical": "true"})
	}
	medium := object{"name": "u1.medium"}
	return []attempt{
		{name: "approved instance type", as: developer, object: approved(medium, complete)},
		{name: "other instance type", as: developer, object: approved(object{"name": "u1.huge"}, complete), refused: "instance type u1.huge is not allowed; expected u1.medium"},
		{name: "instance type of one's own", as: developer, object: approved(object{"name": "u1.medium", "kind": "virtualmachineinstancetype"}, complete), refused: "instance type VirtualMachineInstancetype/u1.medium"},
		{name: "no instance type", as: developer, object: labelled(machine("approved"), complete), refused: "instance type none"},
		{name: "no instance type in another namespace", as: developer, object: machine("team")},
		{name: "pool without instance type", as: developer, object: nodePool("approved"), refused: "instance type none"},
		{name: "missing label", as: developer, object: approved(medium, map[string]string{"example.com/tier": "gold"}), refused: "label example.com/owner= is missing"},
		{name: "label with another value", as: developer, object: approved(medium, map[string]string{"example.com/owner": "dora", "example.com/tier": "lead"}), refused: "label example.com/tier=gold is missing"},
		{name: "no labels", as: developer, object: approved(medium, nil), refused: "label example.com/owner=, example.com/tier=gold is missing"},
		{name: "removal of a label", as: developer, object: approved(medium, complete), change: relabel(map[string]string{"example.com/tier": "gold"}), refused: "label example.com/owner= is missing"},
		{name: "critical VM that runs", as: developer, object: critical("Always")},
		{name: "critical VM that is off", as: developer, object: critical("Halted"), refused: "run strategy Halted is not allowed; expected Always"},
		{name: "critical VM that is switched off", as: developer, object: critical("Always"), change: halt, refused: "run strategy Halted"},
		{name: "machine that is switched off", as: developer, object: machine("team"), change: halt},
	}
}

func halt(o *unstructured.Unstructured) { with(o, "Halted", "spec", "runStrategy") }

func annotate(o *unstructured.Unstructured) {
	o.SetAnnotations(map[string]string{"example.com/note": "changed"})
}

func relabel(labels map[string]string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetLabels(labels) }
}

// address sets the address of the only interface.
func address(mac string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		nics := []any{object{"name": "nic0", "bridge": object{}, "macAddress": mac}}
		with(o, nics, "spec", "template", "spec", "domain", "devices", "interfaces")
	}
}
