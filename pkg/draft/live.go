package draft

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// Live is a VirtualMachine as it was read, without what the API server and the
// controllers set, and in the form that package render writes.
type Live struct {
	manifest.ID // with a namespace, also if the manifest has none

	VM    *kubevirtv1.VirtualMachine
	Tree  manifest.Tree // of VM
	JSON  []byte        // the manifest as it was read, with its status and managedFields
	Lines int           // of the manifest as kubectl prints it, without managedFields
	// Unknown are the fields that KubeVirt's types do not have, as "PATH: unknown key …".
	Unknown []string
}

// Object decodes the manifest as it was read. The result is not kept: most VMs are asked for it once.
func (l *Live) Object() manifest.Tree { return manifest.Decode(l.JSON) }

// Read decodes a VirtualMachine in a namespace, which takes the place of that of the manifest. It leaves out fields
// that KubeVirt's types do not have, and lists them: the API server does the same by the CRD, whose schema is made of
// these types (Kubernetes' documentation, Custom Resources, "Field pruning"). A value of a wrong type is an error, as
// there, and so is a VM without a template. The error is for users: it names each such field.
func Read(o manifest.Object, namespace string) (*Live, error) {
	l, n, err := readNode(o, namespace)
	if err == nil {
		l.Lines = printed(n)
	}
	return l, err
}

// ReadUncounted does what [Read] does without counting the lines of the manifest, which takes a quarter of the time.
func ReadUncounted(o manifest.Object, namespace string) (*Live, error) {
	l, _, err := readNode(o, namespace)
	return l, err
}

func readNode(o manifest.Object, namespace string) (*Live, *source.Node, error) {
	n, err := patch.FromJSON(o.JSON, new(source.Node))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", o.ID, err)
	}
	l := &Live{ID: o.ID, VM: new(kubevirtv1.VirtualMachine), JSON: o.JSON}
	l.Namespace = namespace
	var found source.Diagnostics
	source.Decode(source.Merge(n, serverKeys()), l.VM, "", &found)
	if found.HasErrorsBut(rule.UnknownKey) {
		return nil, nil, errors.New(strings.Join(problems(&found, false), "; "))
	}
	l.Unknown = problems(&found, true)
	if l.VM.Spec.Template == nil {
		return nil, nil, errors.New("spec.template: missing")
	}
	l.normalize()
	normal, err := manifest.New(l.VM)
	if err != nil {
		return nil, nil, fmt.Errorf("writing %s: %w", o.ID, err)
	}
	l.Tree = normal.Tree()
	return l, n, nil
}

// printed returns the number of lines of a manifest as kubectl prints it.
func printed(n *source.Node) int {
	shown := source.Merge(n, node.Of(tree{"metadata": tree{"managedFields": nil}}))
	return bytes.Count(manifest.AppendYAML(nil, source.AppendJSON(nil, shown)), []byte("\n"))
}

// serverKeys returns a merge patch that removes what the server writes.
func serverKeys() *source.Node {
	return node.Of(tree{"status": nil, "metadata": tree{"managedFields": nil, "ownerReferences": nil}})
}

// problems returns the messages about unknown fields, or all others, by path, without a position: the manifest was
// read as JSON.
func problems(found *source.Diagnostics, unknown bool) []string {
	var all []string
	for _, d := range found.Sorted() {
		if (d.Rule == rule.UnknownKey) == unknown {
			all = append(all, d.Path+": "+d.Message)
		}
	}
	return all
}

// notWritten are the annotations that programs set on VMs, and users do not: the controller
// of KubeVirt (kubevirt/kubevirt v1.8.4, pkg/controller/controller.go), kubectl apply, and
// kubemacpool.
var notWritten = []string{
	"kubevirt.io/latest-observed-api-version",
	"kubevirt.io/storage-observed-api-version",
	corev1.LastAppliedConfigAnnotation,
	"kubemacpool.io/transaction-timestamp",
}

// normalize leaves of the metadata what a user could have written, and fills in what
// the webhooks of KubeVirt would (kubevirt/kubevirt v1.8.4, pkg/defaults/defaults.go).
func (l *Live) normalize() {
	vm := l.VM
	vm.TypeMeta = metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"}
	vm.ObjectMeta = metav1.ObjectMeta{
		Name: l.Name, Namespace: l.Namespace, Labels: theirs(vm.Labels), Annotations: theirs(vm.Annotations),
	}
	for _, name := range notWritten {
		delete(vm.Annotations, name)
	}
	t := &vm.Spec.Template.ObjectMeta
	*t = metav1.ObjectMeta{Name: t.Name, Labels: theirs(t.Labels), Annotations: theirs(t.Annotations)}
	vm.Spec.Template.Spec.Architecture = cmp.Or(vm.Spec.Template.Spec.Architecture, catalog.DefaultArch)
	for i := range vm.Spec.DataVolumeTemplates {
		t := &vm.Spec.DataVolumeTemplates[i]
		t.Status = nil
		t.ObjectMeta = metav1.ObjectMeta{
			Name: t.Name, Namespace: t.Namespace, Labels: theirs(t.Labels), Annotations: theirs(t.Annotations),
		}
	}
}

// Plain returns the tree of a VM that package render has written, as near to [Live.Tree] as it can be without the types
// of KubeVirt, in a fraction of the time: a tree that is equal to it is that of the same VM. Others may be, too.
func Plain(o manifest.Object) manifest.Tree {
	t := manifest.Decode(o.JSON)
	delete(t, "status")
	plainMeta(t, "name", "namespace")
	of := manifest.Map(t, "spec", "template")
	plainMeta(of, "name")
	if spec := manifest.Map(of, "spec"); spec != nil && spec["architecture"] == nil {
		spec["architecture"] = catalog.DefaultArch
	}
	for _, d := range manifest.List(t, "spec", "dataVolumeTemplates") {
		if d, ok := d.(tree); ok {
			plainMeta(d, "name", "namespace")
		}
	}
	return t
}

// plainMeta leaves of the metadata of an object the given texts, and the labels and annotations that users write.
func plainMeta(t tree, texts ...string) {
	meta := manifest.Map(t, "metadata")
	for key := range meta {
		all, _ := meta[key].(tree)
		switch {
		case key == "labels" || key == "annotations":
			maps.DeleteFunc(all, func(name string, _ any) bool { return IsOurs(name) || slices.Contains(notWritten, name) })
			if len(all) == 0 {
				delete(meta, key)
			}
		case !slices.Contains(texts, key):
			delete(meta, key)
		}
	}
	if len(meta) == 0 {
		delete(t, "metadata")
	}
}

// theirs returns labels or annotations without vmrender's and Argo CD's own: a VM that
// was released from a fleet has some.
func theirs(m map[string]string) map[string]string {
	out := maps.Clone(m)
	maps.DeleteFunc(out, func(key, _ string) bool { return IsOurs(key) })
	return out
}

// Arch returns the architecture of the VM, such as "amd64", which is also that of VMs that name none.
func (l *Live) Arch() string { return l.VM.Spec.Template.Spec.Architecture }

// Spec returns the spec of the VM's template, of which changes change the VM.
func (l *Live) Spec() *kubevirtv1.VirtualMachineInstanceSpec { return &l.VM.Spec.Template.Spec }
