package policies_test

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hooks is the annotation with the images that KubeVirt runs next to a VM.
const hooks = "hooks.kubevirt.io/hookSidecars"

// ofTemplate sets an annotation of the instances of an object. In a pool, path leads to the VM.
func ofTemplate(o *unstructured.Unstructured, value string, path ...string) *unstructured.Unstructured {
	return with(o, object{hooks: value}, append(path, "spec", "template", "metadata", "annotations")...)
}

// content returns the content of a snapshot of a VM. A restore creates the VM from it.
func content(vm *unstructured.Unstructured) *unstructured.Unstructured {
	vm.SetName("db")
	return newObject("snapshot.kubevirt.io/v1beta1", "VirtualMachineSnapshotContent", vm.GetNamespace(), object{
		"source": object{"virtualMachine": object{"metadata": object{"name": "db"}, "spec": vm.Object["spec"]}},
	})
}

// tokenSecret returns a Secret in which Kubernetes writes a token of a service account.
func tokenSecret(kind, account string) *unstructured.Unstructured {
	o := noted(newObject("v1", "Secret", "tenant", nil), "kubernetes.io/service-account.name", account)
	delete(o.Object, "spec")
	o.Object["type"] = kind
	return o
}

// bypassAttempts returns requests that have an image, an address, a service account or a namespace in a field other than the usual
// one. Each is next to the same request with an allowed value.
func bypassAttempts() []attempt {
	all := append(sidecarAttempts(), importAttempts()...)
	return append(append(all, patchAttempts()...), tokenAttempts()...)
}

func sidecarAttempts() []attempt {
	const fine, evil = `[{"args": ["--version", "v1alpha2"], "image": "registry.example.com/golden/hook:1"}]`, `[{"image": "evil.example.com/hook:1"}]`
	const refused, unclear = "image evil.example.com/hook:1 is not allowed", "image of the hook sidecar "
	const vm = "virtualMachineTemplate"
	instancetype := func(text string) *unstructured.Unstructured {
		return newObject("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", "tenant", object{
			"annotations": object{hooks: text}, "cpu": object{"guest": int64(1)}, "memory": object{"guest": "1Gi"},
		})
	}
	preference := func(text string) *unstructured.Unstructured {
		return newObject("instancetype.kubevirt.io/v1beta1", "VirtualMachinePreference", "tenant", object{"annotations": object{hooks: text}})
	}
	return []attempt{
		{name: "hook sidecar", as: developer, object: ofTemplate(machine("tenant"), fine)},
		{name: "other hook sidecar", as: developer, object: ofTemplate(machine("tenant"), evil), refused: refused},
		{name: "hook sidecar among others", as: developer, object: ofTemplate(machine("tenant"), fine[:len(fine)-1]+", "+evil[1:]), refused: refused},
		{name: "hook sidecar in another case", as: developer, object: ofTemplate(machine("tenant"), `[{"IMAGE" : "evil.example.com/hook:1"}]`), refused: refused},
		{name: "hook sidecar with escapes", as: developer, object: ofTemplate(machine("tenant"), `[{"\u0069mage": "evil.example.com/hook:1"}]`), refused: unclear},
		{name: "hook sidecar without an image", as: developer, object: ofTemplate(machine("tenant"), `[{"configMap": {"name": "script"}}]`), refused: unclear},
		{name: "hook sidecar of an instance", as: developer, object: noted(machineInstance("tenant"), hooks, evil), refused: refused},
		{name: "hook sidecar of a replica set", as: developer, object: with(replicaSet("tenant"), object{hooks: evil}, "spec", "template", "metadata", "annotations"), refused: refused},
		{name: "hook sidecar of a pool", as: developer, object: ofTemplate(nodePool("tenant"), evil, "spec", vm), refused: refused},
		{name: "hook sidecar of an instance type", as: admin, object: instancetype(evil), refused: refused},
		{name: "allowed hook sidecar of an instance type", as: admin, object: instancetype(fine)},
		{name: "hook sidecar of a preference", as: admin, object: preference(evil), refused: refused},
		{name: "allowed hook sidecar of a preference", as: admin, object: preference(fine)},
		{name: "hook sidecar in a snapshot", as: developer, object: content(ofTemplate(machine("tenant"), evil)), refused: refused},
		{name: "allowed hook sidecar in a snapshot", as: developer, object: content(ofTemplate(machine("tenant"), fine))},
	}
}

// annotatedClaim returns a claim that CDI fills from an address, as it did before there
// were DataVolumes.
func annotatedClaim(url string) *unstructured.Unstructured {
	o := noted(volumeClaim(), "cdi.kubevirt.io/storage.import.endpoint", url)
	o.SetNamespace("tenant")
	return o
}

func importAttempts() []attempt {
	const fine, evil = "https://images.example.com/disks/center", "https://evil.example.com/center"
	vddk := func(url, image string) *unstructured.Unstructured {
		source := object{"url": url, "uuid": "0", "backingFile": "[ds] a.vmdk", "thumbprint": "AA", "secretRef": "center", "initImageURL": image}
		return from(disk("tenant"), object{"vddk": source})
	}
	imageio := func(url string) *unstructured.Unstructured {
		return from(disk("tenant"), object{"imageio": object{"url": url, "diskId": "1", "secretRef": "engine", "certConfigMap": "engine"}})
	}
	source := func(url string) *unstructured.Unstructured {
		return newObject("cdi.kubevirt.io/v1beta1", "VolumeImportSource", "tenant", object{"source": object{"http": object{"url": url}}})
	}
	elsewhere := object{"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "db", "namespace": "other"}
	own := object{"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "db"}
	populated := func(reference object) *unstructured.Unstructured {
		o := with(disk("team"), reference, "spec", "storage", "dataSourceRef")
		unstructured.RemoveNestedField(o.Object, "spec", "source")
		return o
	}
	return []attempt{
		{name: "import from VMware", as: admin, object: vddk(fine, "registry.example.com/golden/vddk:8")},
		{name: "import from VMware by another image", as: admin, object: vddk(fine, "evil.example.com/vddk:8"), refused: "image evil.example.com/vddk:8 is not allowed"},
		{name: "import from another VMware", as: admin, object: vddk(evil, "registry.example.com/golden/vddk:8"), refused: "image " + evil + " is not allowed"},
		{name: "import from oVirt", as: admin, object: imageio(fine)},
		{name: "import from another oVirt", as: admin, object: imageio(evil), refused: "image " + evil + " is not allowed"},
		{name: "image for VMware in an annotation", as: admin, object: noted(disk("tenant"), "cdi.kubevirt.io/storage.pod.vddk.initimageurl", "evil.example.com/vddk:8"), refused: "image evil.example.com/vddk:8 is not allowed"},
		{name: "import by an annotation of a claim", as: developer, object: annotatedClaim("docker://registry.example.com/golden/fedora:42")},
		{name: "other import by an annotation of a claim", as: developer, object: annotatedClaim(evil), refused: "image " + evil + " is not allowed"},
		{name: "source of a claim", as: admin, object: source(fine)},
		{name: "other source of a claim", as: admin, object: source(evil), refused: "image " + evil + " is not allowed"},
		{name: "container disk in a snapshot", as: developer, object: content(booting("tenant", "evil.example.com/disk:1")), refused: "image evil.example.com/disk:1 is not allowed"},
		{name: "claim by a reference", as: admin, object: populated(own)},
		{name: "claim by a reference to another namespace", as: admin, object: populated(elsewhere), refused: "may not copy disks of other"},
		{name: "claim of another namespace in a snapshot", as: developer, object: content(templated(machine("team"), from(disk("team"), claim("other")))), refused: "may not copy disks of other"},
		{name: "claim of its own namespace in a snapshot", as: developer, object: content(templated(machine("team"), from(disk("team"), claim("team"))))},
		{name: "address in a snapshot", as: developer, object: content(machine("team", foreign)), refused: ofNoPool},
	}
}

func patchAttempts() []attempt {
	const hostname = `{"op": "replace", "path": "/spec/template/spec/hostname", "value": "db-2"}`
	const disk = `{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "x", "containerDisk": {"IMAGE": "evil"}}}`
	const account = `{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "x", "serviceAccount": {"serviceAccountName": "deployer"}}}`
	const source = `{"op": "replace", "path": "/spec/dataVolumeTemplates/0/spec/source", "value": {"pvc": {"name": "db", "namespace": "other"}}}`
	const escaped = `{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "x", "containerDisk": {"\u0069mage": "evil"}}}`
	const copied = `{"op": "copy", "from": "/metadata/annotations", "path": "/spec/template/spec/volumes/0/containerDisk"}`
	return []attempt{
		{name: "clone with another host name", as: developer, object: clone("tenant", object{}, hostname)},
		{name: "clone with an image", as: developer, object: clone("tenant", object{}, hostname, disk), refused: "image of the patch"},
		{name: "clone with an escaped image", as: developer, object: clone("tenant", object{}, escaped), refused: "of the patch", warning: "interface model of the patch"},
		{name: "clone with a copied image", as: developer, object: clone("tenant", object{}, copied), refused: "of the patch", warning: "interface model of the patch"},
		{name: "clone with a service account", as: developer, object: clone("tenant", object{}, account), refused: "service account of the patch"},
		{name: "clone with a source elsewhere", as: developer, object: clone("team", object{}, source), refused: "may not copy disks of of the patch"},
		{name: "restore with another host name", as: developer, object: restore("tenant", hostname)},
		{name: "restore with an image", as: developer, object: restore("tenant", disk), refused: "image of the patch"},
		{name: "restore with a service account", as: developer, object: restore("tenant", account), refused: "service account of the patch"},
		{name: "restore with a source elsewhere", as: developer, object: restore("team", source), refused: "may not copy disks of of the patch"},
		{name: "clone with an instance type", as: developer, object: clone("approved", object{}, `{"op": "add", "path": "/spec/instancetype", "value": {"name": "u1.8xlarge"}}`), refused: "instance type of the patch"},
	}
}

func tokenAttempts() []attempt {
	const token, refused = "kubernetes.io/service-account-token", "service account deployer is not allowed"
	account := func(name string) *unstructured.Unstructured {
		volume := object{"name": "token", "serviceAccount": object{"serviceAccountName": name}}
		return content(with(machine("tenant"), []any{volume}, "spec", "template", "spec", "volumes"))
	}
	return []attempt{
		{name: "token of an allowed service account", as: developer, object: tokenSecret(token, "default")},
		{name: "token of a service account", as: developer, object: tokenSecret(token, "deployer"), refused: refused},
		{name: "other Secret", as: developer, object: tokenSecret("Opaque", "deployer")},
		{name: "token that is led to another service account", as: developer, object: tokenSecret(token, "default"), change: func(o *unstructured.Unstructured) {
			noted(o, "kubernetes.io/service-account.name", "deployer")
		}, refused: refused},
		{name: "service account in a snapshot", as: developer, object: account("deployer"), refused: refused},
		{name: "allowed service account in a snapshot", as: developer, object: account("default")},
	}
}
