package render

import (
	"maps"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
)

// The labels and annotations of VMs that the OpenShift console, its metrics and the
// common templates use (kubevirt/common-templates templates/*.tpl.yaml).
const (
	labelApp    = labels.App
	labelDomain = "kubevirt.io/domain"
	labelSize   = "kubevirt.io/size"

	// labelName is what KubeVirt labels the pod of each VM with: its host name (kubevirt/kubevirt v1.8.4,
	// pkg/virt-controller/services/template.go, renderLaunchManifest).
	labelName = "vm.kubevirt.io/name"

	annotationOS       = "vm.kubevirt.io/os"
	annotationFlavor   = "vm.kubevirt.io/flavor"
	annotationWorkload = "vm.kubevirt.io/workload"
)

// ownedLabels returns the labels of everything that belongs to the VM.
func (x *rendering) ownedLabels() map[string]string {
	return map[string]string{labelApp: x.base, labels.ManagedBy: labels.Manager}
}

func (x *rendering) vmLabels() map[string]string {
	own := x.lifecycleLabels()
	if x.Backup {
		own = merged(own, map[string]string{labels.BlockTracking: "true"})
	}
	if len(x.Labels) == 0 && len(own) == 0 {
		return x.owned
	}
	return merged(x.owned, x.Labels, own)
}

// templateLabels returns the labels of the VM's template, which its pod also has.
// Users cannot change the domain label: Services select by it.
func (x *rendering) templateLabels() map[string]string {
	all := make(map[string]string, 2+len(x.Labels)+len(x.PodLabels))
	if !x.Plain {
		all[labelSize] = x.Flavor
	}
	maps.Copy(all, x.Labels)
	maps.Copy(all, x.PodLabels)
	if !x.Plain {
		all[labelDomain] = x.base
	}
	if x.Entry != "" {
		all[labels.Group] = x.Entry
	}
	return all
}

// templateAnnotations returns the annotations of the VM's template, which its pod also
// has. The user's own win.
func (x *rendering) templateAnnotations() map[string]string {
	if x.Plain {
		return x.PodAnnotations
	}
	a := map[string]string{annotationOS: x.osLabel(), annotationFlavor: x.Flavor}
	if x.Workload != "" {
		a[annotationWorkload] = x.Workload
	}
	maps.Copy(a, x.PodAnnotations)
	return a
}

func (x *rendering) osLabel() string {
	if x.OS.Label != "" {
		return x.OS.Label
	}
	return x.OS.Name
}

// vmAnnotations returns the annotations of the lifecycle and the user's own, which
// win. Sync options win by name.
func (x *rendering) vmAnnotations() map[string]string {
	a := x.lifecycleAnnotations()
	maps.Copy(a, x.Annotations)
	if options, ok := x.Annotations[argocd.SyncOptionsAnnotation]; ok && !x.Target.ByFlux() {
		a[argocd.SyncOptionsAnnotation] = lifecycle.MergeOptions(x.vmOptions(), options)
	}
	return a
}

// merged returns the entries of all maps; later maps win.
func merged(all ...map[string]string) map[string]string {
	n := 0
	for _, m := range all {
		n += len(m)
	}
	out := make(map[string]string, n)
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
