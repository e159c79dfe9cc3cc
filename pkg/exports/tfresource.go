package exports

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// resource is an instance of a resource.
type resource struct {
	address, kind string
	values        tree // its attributes
	isDeposed     bool // it is replaced, and not destroyed yet
	isSensitive   bool
}

// reader makes an object of the attributes of a resource.
type reader func(values tree) (manifest.Object, error)

// readers are the types of resources whose objects are read, with the schemas of their providers:
//   - hashicorp/terraform-provider-kubernetes v3.2.1, manifest/provider/getproviderschema.go, and
//     kubernetes/schema_persistent_volume_claim_spec.go
//   - gavinbunney/terraform-provider-kubectl, kubernetes/resource_kubectl_manifest.go, and its fork by alekc
//   - kubevirt/terraform-provider-kubevirt e21a96a, kubevirt/schema
var readers = map[string]reader{
	"kubernetes_manifest":                   fromManifest,
	allSensitive:                            fromBody,
	"kubevirt_virtual_machine":              fromBlocks("kubevirt.io/v1", "VirtualMachine"),
	"kubevirt_data_volume":                  fromBlocks("cdi.kubevirt.io/v1beta1", "DataVolume"),
	"kubernetes_persistent_volume_claim":    fromBlocks("v1", "PersistentVolumeClaim"),
	"kubernetes_persistent_volume_claim_v1": fromBlocks("v1", "PersistentVolumeClaim"),
}

// allSensitive is the type whose provider marks the whole object as sensitive; Terraform before 1.10 does not write the
// marks of providers into states (hashicorp/terraform, CHANGELOG of 1.10).
const allSensitive = "kubectl_manifest"

// elsewhere are types of resources that create VMs in a form of their own, and how to import those VMs.
var elsewhere = map[string]string{
	"harvester_virtualmachine": "the attributes are those of Harvester, not of a VirtualMachine; " +
		"import the VM from the cluster: vmrender import --context NAME",
	"helm_release": "the objects of a release are not in the state; " +
		"import its VMs: helm get manifest RELEASE | vmrender import --from-chart -",
}

// add adds the object of a resource, or the reason why there is none. Others are addresses by type of resource.
func (s *State) add(r *resource, others map[string][]string) {
	read := readers[r.kind]
	problem, isElsewhere := elsewhere[r.kind]
	switch {
	case isElsewhere:
	case read == nil:
		others[r.kind] = append(others[r.kind], r.address)
		return
	case r.isDeposed:
		problem = "a deposed object, which Terraform destroys at the next apply"
	case r.values == nil:
		problem = "no attributes; run terraform refresh with Terraform 0.12 or later, and export again"
	default:
		o, err := read(r.values)
		if err == nil {
			if o.Kind != "Secret" {
				s.Objects = append(s.Objects, Managed{withoutTerraform(o), r.address, r.isSensitive || r.kind == allSensitive})
			}
			return
		}
		problem = err.Error()
	}
	s.Problems = append(s.Problems, Finding{Address: r.address, Text: problem})
}

// fromManifest returns the object of a kubernetes_manifest: what the cluster had of it (`object`) if the file has it,
// or else what is configured (`manifest`). In a state of version 4, an attribute of a dynamic type is an object with
// the value and its type (hashicorp/terraform v1.9, zclconf/go-cty json).
func fromManifest(values tree) (manifest.Object, error) {
	o, err := objectOf(dynamic(values["object"]))
	if err != nil {
		o, err = objectOf(dynamic(values["manifest"]))
	}
	return o, err
}

// dynamic returns the value of an attribute of a dynamic type.
func dynamic(v any) tree {
	t, _ := v.(tree)
	if inner, isTyped := t["value"].(tree); isTyped && t["type"] != nil && len(t) == 2 {
		return inner
	}
	return t
}

// errUnknown is the problem of a planned object whose name is not known yet.
var errUnknown = errors.New("no apiVersion, kind or metadata.name; every object has them; " +
	"if they are known only after the apply, import from the state")

// objectOf returns a tree as an object.
func objectOf(t tree) (manifest.Object, error) {
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if manifest.Text(t, path...) == "" {
			return manifest.Object{}, errUnknown
		}
	}
	o, err := manifest.New(t)
	if err != nil {
		return o, errors.New("the attributes are not those of an object of Kubernetes")
	}
	return o, nil
}

// fromBody returns the object of a kubectl_manifest, whose YAML is one attribute, and counts as sensitive as a whole:
// problems name lines of it, and quote nothing.
func fromBody(values tree) (manifest.Object, error) {
	body := manifest.Text(values, "yaml_body")
	if body == "" {
		return manifest.Object{}, errors.New("no yaml_body; if it is known only after the apply, import from the state")
	}
	objects, err := manifest.Read(strings.NewReader(body))
	if err != nil {
		line := ""
		if at, ok := errors.AsType[*manifest.ReadError](err); ok && at.Line > 0 {
			line = fmt.Sprintf(", from line %d", at.Line)
		}
		return manifest.Object{}, fmt.Errorf("the yaml_body is not the YAML of an object%s; "+
			"every object has apiVersion, kind and metadata.name", line)
	}
	if len(objects) != 1 {
		return manifest.Object{}, fmt.Errorf("the yaml_body has %d objects; expected one", len(objects))
	}
	if namespace := manifest.Text(values, "override_namespace"); namespace != "" {
		t := objects[0].Tree()
		manifest.Map(t, "metadata")["namespace"] = namespace
		return objectOf(t)
	}
	return objects[0], nil
}

// withoutTerraform returns an object without the label by which modules mark what Terraform manages: the fleet
// replaces the configuration.
func withoutTerraform(o manifest.Object) manifest.Object {
	const label = "app.kubernetes.io/managed-by"
	if !bytes.Contains(o.JSON, []byte(label)) {
		return o
	}
	t := o.Tree()
	labels := manifest.Map(t, "metadata", "labels")
	if v := manifest.Text(labels, label); !strings.EqualFold(v, "terraform") && !strings.EqualFold(v, "opentofu") {
		return o
	}
	if delete(labels, label); len(labels) == 0 {
		delete(manifest.Map(t, "metadata"), "labels")
	}
	made, err := manifest.New(t)
	if err != nil {
		return o
	}
	return made
}
