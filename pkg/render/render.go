// Package render turns VMs, in which everything is resolved, into KubeVirt,
// CDI and Kubernetes objects. It resolves no values or defaults of the user; it
// writes them in the platforms' form.
//
// Rendering is pure: the same VM always results in the same objects,
// independent of time, environment and cluster.
package render

import (
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/cloudinit"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderer renders VMs. It caches the fragments that operating systems add to
// every VM. The zero value is ready to use, and safe for concurrent use.
type renderer struct {
	fragments sync.Map // *catalog.ResolvedOS → *kubevirtv1.VirtualMachineInstanceSpec
	sizes     sync.Map // quantity as text → corev1.VolumeResourceRequirements

	cloudInit, sysprep sharedDisk
}

// VM returns the objects of one VM in the order in which they are written, without those that VMs share. It is for
// explanations, and ignores problems: [Collector] renders what is applied.
func VM(m *machine.Machine) []runtime.Object {
	objects, _, _ := new(renderer).render(m, new(source.Diagnostics))
	return objects
}

// rendering is the rendering of one VM.
type rendering struct {
	*machine.Machine
	base   string // name of the VM in the values files, without a hash
	diags  *source.Diagnostics
	owned  map[string]string // labels of all objects of the VM
	shared *renderer         // by all VMs

	options   string   // see [rendering.vmOptions]
	guestHash string   // of the guest's data, under strategies that are to recreate the VM with it
	misread   []string // keys with problems that were reported, from which others follow
	room      *room    // of [rendering.look]
}

// render returns the objects of one VM in the order in which they are written:
//
//   - the Secret with user and network data, if they are not inline
//   - the DataVolumes that survive the VM
//   - the VirtualMachine or VirtualMachinePool
//   - a PersistentVolumeClaim for each disk that grows
//   - the Services, then the user's objects
//   - the Ansible job that runs after a change, and the CronJob that runs it on a schedule
//
// It also returns the hash of the VM's content if a Job is to compare it, and the JSON of the VM's spec if the hash is
// of it.
// [Collector] adds the objects that VMs share.
//
// Problems in what the user writes in KubeVirt's or Kubernetes' own form
// (tolerations, probes, overrides …) go to diags; the objects must not be used if
// there are errors. Objects of one VM share maps and must not be changed.
func (r *renderer) render(
	m *machine.Machine, diags *source.Diagnostics,
) (objects []runtime.Object, content string, spec []byte) {
	x := rendering{Machine: m, base: m.Name, diags: diags, shared: r}
	x.owned = x.ownedLabels()
	vm, secret := x.guest()
	if m.Lifecycle.Strategy.Traits().NamedByContent {
		x.Machine = x.revision(vm)
		vm, secret = x.guest()
	}
	objects = make([]runtime.Object, 0, 2+len(m.Disks)+len(m.Services))
	if secret != nil {
		objects = append(objects, secret)
	}
	objects = x.appendDataVolumes(objects)
	if m.Lifecycle.Strategy.Traits().Pooled {
		objects = append(objects, x.pool(vm))
	} else {
		objects = append(objects, vm)
	}
	objects = x.appendGrowth(objects)
	switch {
	case m.Lifecycle.SnapshotBefore:
		content = x.contentOf(objects)
	case m.Lifecycle.Strategy.Traits().Job:
		spec = x.encoded(&vm.Spec)
		content = machine.Hash(string(spec), string(x.encoded(x.rolloutAnnotations())))
	}
	if content != "" {
		vm.Annotations = merged(vm.Annotations, map[string]string{labels.Content: content})
	}
	objects = x.appendPatch(x.appendAnsible(x.appendWritten(x.appendServices(objects))))
	x.look(objects, content)
	x.announce(objects)
	return objects, content, spec
}

// guest returns the VirtualMachine, and the Secret with its user and network data,
// or nil if they are inline.
func (x *rendering) guest() (*kubevirtv1.VirtualMachine, *corev1.Secret) {
	guest := cloudinit.Data(x.Machine, x.diags)
	x.renewRoot(&guest)
	rendered := x.virtualMachine(x.shared.fragment(x.OS, x.diags), &guest)
	vm := x.override(rendered)
	x.addOptions(vm)
	if !guest.Secret {
		return vm, nil
	}
	return vm, x.guestSecret(&guest)
}

// check reports problems in what the user writes in KubeVirt's or Kubernetes' own
// form, for a VM that cannot be rendered because of other problems.
func (r *renderer) check(m *machine.Machine, diags *source.Diagnostics) {
	x := rendering{Machine: m, diags: diags, shared: r}
	x.decodeWritten(new(kubevirtv1.VirtualMachineInstanceSpec))
	x.decodePool(new(poolv1.VirtualMachinePoolSpec))
	for _, o := range x.Overrides {
		x.decode(o, new(kubevirtv1.VirtualMachine), "overrides")
	}
	part := x.partPromise(nil)
	for i := range x.Objects {
		x.lookAtWritten(x.written(&x.Objects[i]), &x.Objects[i], &part)
	}
	for i := range x.Services {
		s := &x.Services[i]
		x.decode(s.Overrides, new(corev1.Service), servicePatch(s).key)
	}
	for i := range x.NICs {
		x.decode(x.NICs[i].Overrides, new(kubevirtv1.Interface), source.IndexPath("nics", i)+".overrides")
	}
	for i := range x.Disks {
		d := &x.Disks[i]
		x.decode(d.Overrides, new(kubevirtv1.Disk), "disks."+d.Name+".overrides")
		x.decode(d.DataVolume, new(dataVolume), "disks."+d.Name+".dataVolume")
		x.foreignSource(d, &cdiv1.DataVolumeSpec{Storage: &cdiv1.StorageSpec{}})
	}
}

// fragment returns what the traits of an operating system add to the spec of every
// VM, decoded once. It is shared and must not be changed.
func (r *renderer) fragment(os *catalog.ResolvedOS, diags *source.Diagnostics) *kubevirtv1.VirtualMachineInstanceSpec {
	if spec, ok := r.fragments.Load(os); ok {
		return spec.(*kubevirtv1.VirtualMachineInstanceSpec)
	}
	spec := &kubevirtv1.VirtualMachineInstanceSpec{}
	source.Decode(os.Spec, spec, "catalog.os."+os.Name, diags)
	r.fragments.Store(os, spec)
	return spec
}

// path returns the path of a key of the VM, such as "vms.web01.tolerations".
func (x *rendering) path(key string) string { return x.Path + "." + key }

// objectMeta returns the metadata of an object that belongs to the VM.
func (x *rendering) objectMeta(name string, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: x.Namespace, Labels: x.owned, Annotations: annotations}
}

// storage returns the requests of a disk of a size. VMs share equal requests.
func (x *rendering) storage(size string) corev1.VolumeResourceRequirements {
	if known, ok := x.shared.sizes.Load(size); ok {
		return known.(corev1.VolumeResourceRequirements)
	}
	r := corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: keys.Quantity(size)}}
	x.shared.sizes.Store(strings.Clone(size), r)
	return r
}
