package drill

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// contentOf returns the spec of the DataVolume or claim that Git fills a disk of a VM by; nil if Git has none.
func (d *driller) contentOf(v *vm, name string) any {
	if t := manifest.At(v.git, "spec", "dataVolumeTemplates", "["+name+"]", "spec"); t != nil {
		return t
	}
	return d.filled(v.id.Namespace, name)
}

// filled returns the spec of a DataVolume or claim in Git, or nil.
func (d *driller) filled(namespace, name string) any {
	return manifest.At(d.git.Disk(namespace, name), "spec")
}

// imageLosses returns what a disk is filled from, if a rebuild does not find it.
func (d *driller) imageLosses(namespace string, spec any) []Loss {
	return append(d.sourceLosses(namespace, spec), d.imagesOf(namespace, spec, 0)...)
}

// deepest is the number of images that are made from each other, after which the search ends: there can be rings.
const deepest = 8

// imagesOf returns the losses of the images of a spec: of a DataVolume, claim or DataSource.
func (d *driller) imagesOf(namespace string, spec any, depth int) []Loss {
	if depth > deepest {
		return nil
	}
	var out []Loss
	for _, s := range imageSources() {
		if from := manifest.At(spec, s.path...); from != nil {
			out = append(out, s.losses(d, origin{
				namespace: orElse(tree(from), []string{"namespace"}, namespace), name: manifest.Text(from, "name"),
				kind: manifest.Text(from, "kind"), depth: depth + 1,
			})...)
		}
	}
	return out
}

func tree(v any) manifest.Tree {
	t, _ := v.(manifest.Tree)
	return t
}

// origin is what a disk is filled from.
type origin struct {
	namespace, name, kind string
	depth                 int
}

// imageSource is a field that names an image in the cluster, or one that can be loaded one time only.
type imageSource struct {
	path   []string
	losses func(*driller, origin) []Loss
}

// imageSources returns the fields of a DataVolume, a claim or a DataSource (CDI v1.66, core/v1beta1/types.go,
// DataVolumeSource and DataSourceSource). Registries, web servers and buckets are not in the cluster.
func imageSources() []imageSource {
	return []imageSource{
		{[]string{"sourceRef"}, (*driller).sourceLoss},
		{[]string{"source", "dataSource"}, (*driller).sourceLoss},
		{[]string{"source", "pvc"}, (*driller).cloneLoss},
		{[]string{"source", "snapshot"}, (*driller).snapshotLoss},
		{[]string{"source", "upload"}, onceLoss("its content was uploaded")},
		{[]string{"source", "vddk"}, onceLoss("its content was imported from vSphere")},
		{[]string{"source", "imageio"}, onceLoss("its content was imported from oVirt")},
		{[]string{"dataSourceRef"}, (*driller).populatorLoss},
		{[]string{"dataSource"}, (*driller).populatorLoss},
	}
}

// sourceLoss returns the loss of a DataSource, or of the image that it refers to.
func (d *driller) sourceLoss(o origin) []Loss {
	if object := d.git.Get(kindDataSource, o.namespace, o.name); object != nil {
		if d.isImported(o) {
			return nil
		}
		return d.imagesOf(o.namespace, manifest.At(object, "spec"), o.depth)
	}
	if d.supplies(kindDataSource, o.namespace, o.name) || d.isImported(o) || d.isCommonImage(o) {
		return nil
	}
	l := d.lacking(Image, kindDataSource, o.namespace, o.name, "the image")
	live := d.Live.Get(kindDataSource, o.namespace, o.name)
	switch {
	case live != nil && cluster.Is(live, "Ready") == cluster.No:
		l.Reason = "the image " + named(l.Object) + " is not ready: it has no content" // CDI v1.66, DataSourceReady
	case slices.Contains(bootNamespaces, o.namespace) && !d.showsImages():
		l.Unknown = []string{"whether the platform brings it: the state has no HyperConverged with its status"}
	}
	return []Loss{l}
}

// bootNamespaces are the namespaces in which OpenShift Virtualization and HyperConverged keep their own images
// (HyperConverged v1.18, controllers/handlers/golden-images).
var bootNamespaces = []string{"openshift-virtualization-os-images", "kubevirt-os-images"}

// isImported reports whether a HyperConverged or a DataImportCron of Git fills a DataSource.
func (d *driller) isImported(o origin) bool {
	for _, e := range d.git.ByKind[kindHCO] {
		for _, t := range manifest.List(e.Object, "spec", "dataImportCronTemplates") {
			if manifest.Text(t, "spec", "managedDataSource") == o.name {
				return true
			}
		}
	}
	return slices.ContainsFunc(d.git.Of(kindImport, o.namespace), func(e cluster.Entity) bool {
		return manifest.Text(e.Object, "spec", "managedDataSource") == o.name
	})
}

// isCommonImage reports whether HyperConverged brings a DataSource on each cluster (HyperConverged v1.18,
// api/v1beta1/hyperconverged_types.go, DataImportCronStatus.CommonTemplate).
func (d *driller) isCommonImage(o origin) bool {
	return slices.ContainsFunc(d.imageTemplates(), func(t any) bool {
		return manifest.At(t, "status", "commonTemplate") == true &&
			manifest.Text(t, "spec", "managedDataSource") == o.name && slices.Contains(bootNamespaces, o.namespace)
	})
}

// showsImages reports whether the cluster shows the images that HyperConverged brings.
func (d *driller) showsImages() bool { return d.isWhole || len(d.imageTemplates()) > 0 }

func (d *driller) imageTemplates() []any {
	lists := make([][]any, 0, 1) // a cluster has one HyperConverged
	for _, e := range d.Live.ByKind[kindHCO] {
		lists = append(lists, manifest.List(e.Object, "status", "dataImportCronTemplates"))
	}
	return slices.Concat(lists...)
}

// cloneLoss returns the loss of a claim that a disk is a clone of: Git must fill it, or a backup keep it.
func (d *driller) cloneLoss(o origin) []Loss {
	if spec := d.filled(o.namespace, o.name); spec != nil {
		return d.imagesOf(o.namespace, spec, o.depth)
	}
	saved := d.saved(d.claimIn(o.namespace, o.name))
	if saved.is == cluster.Yes {
		return nil
	}
	l := d.lacking(Image, cluster.KindClaim, o.namespace, o.name, "the image")
	l.Unknown = saved.unknown
	return []Loss{l}
}

// snapshotLoss returns the loss of a snapshot, which stays at its site.
func (d *driller) snapshotLoss(o origin) []Loss {
	id := idOf(kindVolume, o.namespace, o.name)
	return []Loss{{Kind: Image, Object: id, Reason: "the image " + named(id) + ": snapshots stay at this site"}}
}

// onceLoss returns the loss of a content that cannot be loaded again.
func onceLoss(reason string) func(*driller, origin) []Loss {
	return func(*driller, origin) []Loss {
		return []Loss{{Kind: Image, Reason: reason + ", which a rebuild cannot repeat"}}
	}
}

// populatorLoss returns the loss of what a claim refers to: another claim, a snapshot, or the object of a populator.
func (d *driller) populatorLoss(o origin) []Loss {
	switch o.kind {
	case "", "PersistentVolumeClaim", "DataVolume":
		return d.cloneLoss(o)
	case "VolumeSnapshot":
		return d.snapshotLoss(o)
	}
	for kind, all := range d.git.ByKind {
		if short, _, _ := strings.Cut(kind, "."); short != o.kind {
			continue
		}
		for _, e := range all {
			if e.ID.Namespace == o.namespace && e.ID.Name == o.name {
				return d.imagesOf(o.namespace, manifest.At(e.Object, "spec"), o.depth)
			}
		}
	}
	id := manifest.ID{Kind: o.kind, Namespace: o.namespace, Name: o.name}
	return []Loss{{Kind: Image, Object: id, Reason: "the image " + named(id) + ": Git does not render it"}}
}
