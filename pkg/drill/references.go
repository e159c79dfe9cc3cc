package drill

import (
	"encoding/json"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// reference is a field in which a VM or a disk names an object of its namespace.
type reference struct {
	kind Kind
	of   string // the kind of the object
	list string // the list of the spec whose entries have the field
	path string
	role string // what the object is for
}

// references are the fields of the spec of an instance (KubeVirt v1.9.0, api/core/v1/schema.go, VolumeSource and
// AccessCredential).
var references = []reference{
	{Secret, cluster.KindSecret, "volumes", "secret.secretName", "the volume of"},
	{Secret, cluster.KindSecret, "volumes", "cloudInitNoCloud.secretRef.name", "the user data in"},
	{Secret, cluster.KindSecret, "volumes", "cloudInitNoCloud.networkDataSecretRef.name", "the network data in"},
	{Secret, cluster.KindSecret, "volumes", "cloudInitConfigDrive.secretRef.name", "the user data in"},
	{Secret, cluster.KindSecret, "volumes", "cloudInitConfigDrive.networkDataSecretRef.name", "the network data in"},
	{Secret, cluster.KindSecret, "volumes", "sysprep.secret.name", "the answer file in"},
	{Secret, cluster.KindSecret, "volumes", "containerDisk.imagePullSecret", "the credentials of a registry in"},
	{Secret, cluster.KindSecret, "accessCredentials", "sshPublicKey.source.secret.secretName", "the SSH keys in"},
	{Secret, cluster.KindSecret, "accessCredentials", "userPassword.source.secret.secretName", "the passwords in"},
	{Config, kindConfigMap, "volumes", "configMap.name", "the volume of"},
	{Config, kindConfigMap, "volumes", "sysprep.configMap.name", "the answer file in"},
}

// sourceReferences are the fields of the sources of a DataVolume (CDI v1.66, core/v1beta1/types.go).
var sourceReferences = []reference{
	{kind: Secret, of: cluster.KindSecret, path: "secretRef", role: "the credentials of a download in"},
	{kind: Config, of: kindConfigMap, path: "certConfigMap", role: "the certificates of a download in"},
}

// referenceLosses returns the Secrets and ConfigMaps that a VM names, and that Git does not have.
func (d *driller) referenceLosses(v *vm) []Loss {
	out := d.hookLosses(v)
	spec := world.Spec(v.git)
	for i := range references {
		r := &references[i]
		for _, entry := range manifest.List(spec, r.list) {
			source, _, _ := strings.Cut(r.path, ".")
			if manifest.At(entry, source, "optional") != true {
				out = append(out, d.refer(r, v.id.Namespace, entry)...)
			}
		}
	}
	return out
}

// hookLosses returns the ConfigMaps with hooks of a VM that Git does not have.
func (d *driller) hookLosses(v *vm) []Loss {
	hooks := hooksOf(v.git)
	out := make([]Loss, 0, len(hooks))
	for _, name := range hooks {
		out = append(out, d.need(Config, kindConfigMap, v.id.Namespace, name, "the hook in")...)
	}
	return out
}

// sourceLosses returns the Secrets and ConfigMaps that the download of a disk needs, and that Git does not have.
func (d *driller) sourceLosses(namespace string, spec any) []Loss {
	out := make([]Loss, 0, len(sourceReferences))
	for _, source := range manifest.Map(spec, "source") {
		for i := range sourceReferences {
			out = append(out, d.refer(&sourceReferences[i], namespace, source)...)
		}
	}
	return out
}

// refer returns the loss of what an entry names in a field.
func (d *driller) refer(r *reference, namespace string, entry any) []Loss {
	name := manifest.Text(entry, strings.Split(r.path, ".")...)
	if name == "" {
		return nil
	}
	return d.need(r.kind, r.of, namespace, name, r.role)
}

// need returns the loss of an object, unless Git has it.
func (d *driller) need(kind Kind, of, namespace, name, role string) []Loss {
	if d.supplies(of, namespace, name) {
		return nil
	}
	return []Loss{d.lacking(kind, of, namespace, name, role)}
}

// hookSidecars is the annotation with the hooks of an instance as JSON (KubeVirt v1.9.0, pkg/hooks/hooks.go,
// HookSidecarListAnnotationName).
const hookSidecars = "hooks.kubevirt.io/hookSidecars"

// hooksOf returns the names of the ConfigMaps with the hooks of a VM.
func hooksOf(machine manifest.Tree) []string {
	var hooks []struct {
		ConfigMap struct {
			Name string `json:"name"`
		} `json:"configMap"`
	}
	text := manifest.Text(machine, "spec", "template", "metadata", "annotations", hookSidecars)
	if json.Unmarshal([]byte(text), &hooks) != nil {
		return nil
	}
	var out []string
	for _, h := range hooks {
		if h.ConfigMap.Name != "" {
			out = append(out, h.ConfigMap.Name)
		}
	}
	return out
}
