package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"kubevirt.io/kubevirt/pkg/network/namescheme"
)

// node is the only node.
const node = "node01"

// playStorage simulates CDI with a provisioner. It fills every DataVolume
// immediately with a claim on shared block storage.
func (c *Cluster) playStorage() error {
	ctx := context.Background()
	for _, known := range c.dataVolumes.indexer.List() {
		dv := known.(*cdiv1.DataVolume).DeepCopy()
		if dv.Status.Phase == cdiv1.Succeeded {
			continue
		}
		if err := c.claim(dv.Name, metav1.NewControllerRef(dv, cdiv1.SchemeGroupVersion.WithKind("DataVolume"))); err != nil {
			return err
		}
		dv.Status.Phase, dv.Status.ClaimName = cdiv1.Succeeded, dv.Name
		if _, err := c.cdi.CdiV1beta1().DataVolumes(Namespace).Update(ctx, dv, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// claim creates a claim on shared block storage unless there is one with that name.
func (c *Cluster) claim(name string, owner *metav1.OwnerReference) error {
	class, mode := "shared", corev1.PersistentVolumeBlock
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, VolumeMode: &mode, StorageClassName: &class, VolumeName: "pv-" + name,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("30Gi")}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
	}
	if owner != nil {
		claim.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	_, err := c.kubernetes.CoreV1().PersistentVolumeClaims(Namespace).Create(context.Background(), claim, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// playNodes simulates kubelet and virt-handler. An instance has a Pod and runs as
// soon as it is created, and is gone as soon as it is deleted.
func (c *Cluster) playNodes() error {
	for _, known := range c.informers.instances.indexer.List() {
		vmi := known.(*v1.VirtualMachineInstance).DeepCopy()
		play := c.run
		switch {
		case vmi.DeletionTimestamp != nil:
			play = c.end
		case vmi.IsFinal():
			continue
		case vmi.Status.Phase == v1.Running:
			play = c.unplug
		}
		if err := play(vmi); err != nil {
			return err
		}
	}
	return nil
}

// run makes the instance run on the node.
func (c *Cluster) run(vmi *v1.VirtualMachineInstance) error {
	ctx := context.Background()
	if _, err := keepState(c.controllers.instances, vmi); err != nil {
		return err
	}
	pod, err := pod(vmi)
	if err != nil {
		return err
	}
	if _, err := c.kubernetes.CoreV1().Pods(Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	if vmi.Labels == nil {
		vmi.Labels = map[string]string{}
	}
	vmi.Labels[v1.NodeNameLabel] = node
	vmi.Status.Phase, vmi.Status.NodeName = v1.Running, node
	vmi.Status.PhaseTransitionTimestamps = []v1.VirtualMachineInstancePhaseTransitionTimestamp{
		{Phase: v1.Running, PhaseTransitionTimestamp: moment},
	}
	vmi.Status.LauncherContainerImageVersion = launcher
	vmi.Status.Conditions = []v1.VirtualMachineInstanceCondition{
		{Type: v1.VirtualMachineInstanceReady, Status: corev1.ConditionTrue, LastTransitionTime: moment},
		{Type: v1.VirtualMachineInstanceIsMigratable, Status: corev1.ConditionTrue, LastTransitionTime: moment},
	}
	if !c.Config.Migratable || isPinned(vmi) { // for a reason other than its disks
		vmi.Status.Conditions[1].Status = corev1.ConditionFalse
		vmi.Status.Conditions = append(vmi.Status.Conditions, v1.VirtualMachineInstanceCondition{
			Type: v1.VirtualMachineInstanceIsStorageLiveMigratable, Status: corev1.ConditionFalse, LastTransitionTime: moment,
		})
	}
	if cpu := vmi.Spec.Domain.CPU; cpu != nil {
		vmi.Status.CurrentCPUTopology = &v1.CPUTopology{Cores: cpu.Cores, Sockets: cpu.Sockets, Threads: cpu.Threads}
	}
	if memory := vmi.Spec.Domain.Memory; memory != nil && memory.Guest != nil {
		vmi.Status.Memory = &v1.MemoryStatus{GuestAtBoot: memory.Guest, GuestCurrent: memory.Guest, GuestRequested: memory.Guest}
	}
	vmi.Status.Interfaces = interfaces(vmi)
	_, err = c.VirtualMachineInstance(Namespace).Update(ctx, vmi, metav1.UpdateOptions{})
	return err
}

// isPinned reports whether an instance can never migrate, as virt-handler finds (v1.8.4, pkg/virt-handler/vm.go,
// calculateLiveMigrationCondition), whatever its disks and node.
func isPinned(vmi *v1.VirtualMachineInstance) bool {
	domain := &vmi.Spec.Domain
	pods := map[string]bool{}
	for _, n := range vmi.Spec.Networks {
		pods[n.Name] = n.Pod != nil
	}
	_, allowed := vmi.Annotations[v1.AllowPodBridgeNetworkLiveMigrationAnnotation]
	bridged := slices.ContainsFunc(domain.Devices.Interfaces, func(i v1.Interface) bool {
		return i.Bridge != nil && pods[i.Name] && !allowed
	})
	reserved := slices.ContainsFunc(domain.Devices.Disks, func(d v1.Disk) bool { return d.LUN != nil && d.LUN.Reservation })
	passthrough := domain.Features != nil && domain.Features.HypervPassthrough != nil
	return len(domain.Devices.GPUs) > 0 || len(domain.Devices.HostDevices) > 0 || domain.LaunchSecurity != nil ||
		bridged || reserved || passthrough
}

// pod returns the Pod of the instance, with the interfaces that Multus has added.
func pod(vmi *v1.VirtualMachineInstance) (*corev1.Pod, error) {
	type status struct {
		Name      string `json:"name"`
		Interface string `json:"interface"`
		Default   bool   `json:"default,omitempty"`
	}
	plugged := []status{{Name: "default", Interface: "eth0", Default: true}}
	for name, in := range podInterfaces(vmi) {
		index := slices.IndexFunc(vmi.Spec.Networks, func(n v1.Network) bool { return n.Name == name })
		if multus := vmi.Spec.Networks[index].Multus; multus != nil {
			plugged = append(plugged, status{Name: attachment(multus.NetworkName), Interface: in})
		}
	}
	slices.SortFunc(plugged[1:], func(a, b status) int { return strings.Compare(a.Interface, b.Interface) })
	raw, err := json.Marshal(plugged)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: podName(vmi), Namespace: Namespace,
			Annotations:     map[string]string{"k8s.v1.cni.cncf.io/network-status": string(raw), v1.DomainAnnotation: vmi.Name},
			Labels:          map[string]string{v1.AppLabel: "virt-launcher", v1.CreatedByLabel: string(vmi.UID)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(vmi, v1.VirtualMachineInstanceGroupVersionKind)},
		},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "compute", Image: launcher}}},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "compute", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			}},
		},
	}, err
}

// interfaces returns the running interfaces, as virt-handler finds them.
func interfaces(vmi *v1.VirtualMachineInstance) []v1.VirtualMachineInstanceNetworkInterface {
	names := podInterfaces(vmi)
	var out []v1.VirtualMachineInstanceNetworkInterface
	for i := range vmi.Spec.Domain.Devices.Interfaces {
		name := vmi.Spec.Domain.Devices.Interfaces[i].Name
		source := "domain"
		if names[name] != "eth0" {
			source = "domain, multus-status"
		}
		out = append(out, v1.VirtualMachineInstanceNetworkInterface{Name: name, PodInterfaceName: names[name], InfoSource: source})
	}
	return out
}

// podInterfaces maps the names of networks to those of the interfaces in the Pod.
func podInterfaces(vmi *v1.VirtualMachineInstance) map[string]string {
	return namescheme.CreateHashedNetworkNameScheme(vmi.Spec.Networks)
}

// unplug removes absent interfaces from the guest, as virt-handler does.
func (c *Cluster) unplug(vmi *v1.VirtualMachineInstance) error {
	for _, spec := range vmi.Spec.Domain.Devices.Interfaces {
		for i := range vmi.Status.Interfaces {
			if status := &vmi.Status.Interfaces[i]; status.Name == spec.Name && spec.State == v1.InterfaceStateAbsent && status.InfoSource != "" {
				status.InfoSource = "multus-status"
			}
		}
	}
	_, err := c.VirtualMachineInstance(Namespace).Update(context.Background(), vmi, metav1.UpdateOptions{})
	return err
}

// end removes the instance and its Pod.
func (c *Cluster) end(vmi *v1.VirtualMachineInstance) error {
	if err := c.removePod(vmi); err != nil {
		return err
	}
	vmi.Finalizers, vmi.Status.Phase = nil, v1.Succeeded
	_, err := c.VirtualMachineInstance(Namespace).Update(context.Background(), vmi, metav1.UpdateOptions{})
	return err
}

func (c *Cluster) removePod(vmi *v1.VirtualMachineInstance) error {
	err := c.kubernetes.CoreV1().Pods(Namespace).Delete(context.Background(), podName(vmi), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func podName(vmi *v1.VirtualMachineInstance) string { return "virt-launcher-" + vmi.Name }

// attachment returns the name of a NetworkAttachmentDefinition with its namespace.
func attachment(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return Namespace + "/" + name
}
