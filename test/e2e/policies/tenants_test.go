package policies_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// from returns a disk, or a DataSource, with a source.
func from(o *unstructured.Unstructured, source object) *unstructured.Unstructured {
	return with(o, source, "spec", "source")
}

func claim(namespace string) object {
	return object{"pvc": object{"namespace": namespace, "name": "db"}}
}

func snapshot(namespace string) object {
	return object{"snapshot": object{"namespace": namespace, "name": "db"}}
}

// referring returns a disk that is copied from the source of a DataSource.
func referring(namespace string, reference object) *unstructured.Unstructured {
	d := disk(namespace)
	unstructured.RemoveNestedField(d.Object, "spec", "source")
	return with(d, reference, "spec", "sourceRef")
}

func dataSource(namespace string, source object) *unstructured.Unstructured {
	return newObject("cdi.kubevirt.io/v1beta1", "DataSource", namespace, object{"source": source})
}

// imports returns a DataImportCron.
func imports(namespace string, source object) *unstructured.Unstructured {
	template := object{"source": source, "storage": object{"resources": object{"requests": object{"storage": "1Gi"}}}}
	return newObject("cdi.kubevirt.io/v1beta1", "DataImportCron", namespace, object{
		"managedDataSource": "fedora", "schedule": "0 0 * * *", "template": object{"spec": template},
	})
}

// templated returns a VM or a pool with the disk as a template. In a pool, path
// leads to the VM.
func templated(o, d *unstructured.Unstructured, path ...string) *unstructured.Unstructured {
	template := object{"metadata": object{"name": "root"}, "spec": d.Object["spec"]}
	volume := object{"name": "root", "dataVolume": object{"name": "root"}}
	with(o, []any{volume}, slices.Concat(path, []string{"spec", "template", "spec", "volumes"})...)
	return with(o, []any{template}, slices.Concat(path, []string{"spec", "dataVolumeTemplates"})...)
}

// cloneAttempts includes attempts by an administrator, who may read everything,
// as Argo CD may.
func cloneAttempts() []attempt {
	const refused = "may not copy disks of other; expected a source of its own, or of golden"
	reference := object{"kind": "DataSource", "name": "fedora", "namespace": "other"}
	own := object{"kind": "DataSource", "name": "fedora"}
	return []attempt{
		{name: "copy of a claim", as: admin, object: from(disk("team"), claim("other")), refused: refused},
		{name: "copy of a claim of golden images", as: admin, object: from(disk("team"), claim("golden"))},
		{name: "copy of a claim for this namespace", as: admin, object: from(disk("team"), claim("shared"))},
		{name: "copy of a claim for another namespace", as: admin, object: from(disk("tenant"), claim("shared")), refused: "namespace tenant may not copy disks of shared"},
		{name: "copy of a claim of its own", as: admin, object: from(disk("other"), claim("other"))},
		{name: "copy of a snapshot", as: admin, object: from(disk("team"), snapshot("other")), refused: refused},
		{name: "copy of a snapshot of golden images", as: admin, object: from(disk("team"), snapshot("golden"))},
		{name: "copy from another namespace's DataSource", as: admin, object: referring("team", reference), refused: refused},
		{name: "DataSource to another namespace's claim", as: admin, object: dataSource("team", claim("other")), refused: refused},
		{name: "DataSource to another namespace's snapshot", as: admin, object: dataSource("team", snapshot("other")), refused: refused},
		{name: "DataSource to another namespace's DataSource", as: admin, object: dataSource("team", object{"dataSource": object{"name": "fedora", "namespace": "other"}}), refused: refused},
		{name: "DataSource to its own claim", as: admin, object: dataSource("team", claim("team"))},
		{name: "DataSource that is led elsewhere", as: admin, object: dataSource("team", claim("team")), change: func(o *unstructured.Unstructured) { from(o, claim("other")) }, refused: refused},
		{name: "machine", as: developer, object: templated(machine("team"), from(disk("team"), claim("other"))), refused: refused},
		{name: "machine with a DataSource", as: developer, object: templated(machine("team"), referring("team", reference)), refused: refused},
		{name: "pool", as: developer, object: templated(nodePool("team"), from(disk("team"), claim("other")), "spec", "virtualMachineTemplate"), refused: refused},
		{name: "machine with a DataSource of its own", as: developer, object: templated(machine("team"), referring("team", own))},
		{name: "other change of a VM from before", as: developer, object: templated(machine("team"), from(disk("team"), claim("other"))), change: halt},
		{name: "import", as: admin, object: imports("team", object{"registry": object{"url": "docker://quay.io/golden/fedora"}})},
	}
}

// booting returns a VM with a disk from a container image.
func booting(namespace, image string) *unstructured.Unstructured {
	volume := object{"name": "root", "containerDisk": object{"image": image}}
	return with(machine(namespace), []any{volume}, "spec", "template", "spec", "volumes")
}

// job returns a Job that runs an image, and another one before it, as a service
// account.
func job(namespace, image, before, serviceAccount string) *unstructured.Unstructured {
	pod := object{
		"restartPolicy":  "Never",
		"containers":     []any{object{"name": "job", "image": image}},
		"initContainers": []any{object{"name": "before", "image": before}},
	}
	if serviceAccount != "" {
		pod["serviceAccountName"] = serviceAccount
	}
	return newObject("batch/v1", "Job", namespace, object{"template": object{"spec": pod}})
}

func imageAttempts() []attempt {
	const tool, golden, other = "registry.example.com/tools/vmrender", "registry.example.com/golden/fedora:42", "registry.example.com/golden-not/fedora:42"
	refused := func(image string) string {
		return "image " + image + " is not allowed; expected one of registry.example.com/golden/"
	}
	registry := func(url string) object { return object{"registry": object{"url": url}} }
	web := func(url string) object { return object{"http": object{"url": url}} }
	stream := func(name string) object { return object{"registry": object{"imageStream": name, "pullMethod": "node"}} }
	return []attempt{
		{name: "container disk", as: developer, object: booting("tenant", golden)},
		{name: "other container disk", as: developer, object: booting("tenant", other), refused: refused(other)},
		{name: "other container disk elsewhere", as: developer, object: booting("team", other)},
		{name: "container disk outside of its prefix", as: developer, object: booting("tenant", "registry.example.com/golden/../evil"), refused: refused("registry.example.com/golden/../evil")},
		{name: "import from the registry", as: admin, object: from(disk("tenant"), registry("docker://"+golden))},
		{name: "import from another registry", as: admin, object: from(disk("tenant"), registry("docker://"+other)), refused: refused(other)},
		{name: "import from the web", as: admin, object: from(disk("tenant"), web("https://images.example.com/disks/fedora.qcow2"))},
		{name: "import from another place of the web", as: admin, object: from(disk("tenant"), web("https://images.example.com/disks/%2e%2e/secret")), refused: refused("https://images.example.com/disks/%2e%2e/secret")},
		{name: "import from elsewhere in the web", as: admin, object: from(disk("tenant"), web("https://images.example.com@evil.example/disks/fedora")), refused: refused("https://images.example.com@evil.example/disks/fedora")},
		{name: "import from a bucket", as: admin, object: from(disk("tenant"), object{"s3": object{"url": "https://s3.example.com/a"}}), refused: refused("https://s3.example.com/a")},
		{name: "machine with an import", as: developer, object: templated(machine("tenant"), from(disk("tenant"), registry("docker://"+other))), refused: refused(other)},
		{name: "regular import", as: admin, object: imports("tenant", registry("docker://"+golden))},
		{name: "other regular import", as: admin, object: imports("tenant", registry("docker://"+other)), refused: refused(other)},
		{name: "regular import from an image stream", as: admin, object: imports("tenant", stream("rhel9"))},
		{name: "regular import from another image stream", as: admin, object: imports("tenant", stream("rhel10")), refused: refused("imagestream/rhel10")},
		{name: "blank disk", as: admin, object: disk("tenant")},
		{name: "job", as: developer, object: job("tenant", tool+":1.0", tool+"@sha256:0000000000000000000000000000000000000000000000000000000000000000", "")},
		{name: "job with another image", as: developer, object: job("tenant", tool+"-evil", tool, ""), refused: refused(tool + "-evil")},
		{name: "job that begins with another image", as: developer, object: job("tenant", tool, tool+"/evil", ""), refused: refused(tool + "/evil")},
	}
}

func serviceAccountAttempts() []attempt {
	const tool = "registry.example.com/tools/vmrender"
	withToken := func(name string) *unstructured.Unstructured {
		volume := object{"name": "token", "serviceAccount": object{"serviceAccountName": name}}
		return with(machine("tenant"), []any{volume}, "spec", "template", "spec", "volumes")
	}
	const refused = "service account deployer is not allowed; expected default, *-rollout"
	return []attempt{
		{name: "job as nobody in particular", as: developer, object: job("tenant", tool, tool, "")},
		{name: "job of a rollout", as: developer, object: job("tenant", tool, tool, "shop-1a2b3c4d-rollout")},
		{name: "job as another", as: developer, object: job("tenant", tool, tool, "deployer"), refused: refused},
		{name: "job as another elsewhere", as: developer, object: job("team", tool, tool, "deployer")},
		{name: "machine with a token", as: developer, object: withToken("default")},
		{name: "machine with another's token", as: developer, object: withToken("deployer"), refused: refused},
	}
}

// A tenant's namespace exists, and developers may work in it.
func TestTenant(t *testing.T) {
	objects, err := rendered(t.Context(), "validatingAdmissionPolicy", "Deny")
	require.NoError(t, err)
	tenant := find(t, objects, "Namespace", "tenant")
	require.Equal(t, "keep", tenant.GetAnnotations()["helm.sh/resource-policy"])
	allowed := attempt{name: "of the tenant", as: developer, object: newObject("v1", "ConfigMap", "tenant", nil)}
	delete(allowed.object.Object, "spec")
	allowed.object.SetName("of-the-tenant")
	require.NoError(t, allowed.check(t.Context()))
	elsewhere := attempt{name: "elsewhere", as: developer, object: allowed.object.DeepCopy(), refused: "forbidden"}
	elsewhere.object.SetNamespace("shared")
	require.NoError(t, elsewhere.check(t.Context()))
}
