package impact

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// released holds for disks that belong to no VM in the cluster.
var released = Condition{"it does not belong to the VM in the cluster", func(e *Edit) bool {
	name := strings.Trim(entry(e.Path), "[]")
	disk := e.State.Disk(e.ID.Namespace, name)
	return disk != nil && !slices.Contains(e.State.Owned(e.ID), name)
}, unseen}

// adviceUnfilled is what to do about a disk whose source is wrong.
const adviceUnfilled = "set disks.NAME.revision to another number above 1, and after the sync delete this disk, " +
	"which has no data; " +
	"or delete it now (kubectl delete datavolume): the sync recreates it"

// unfilled holds for disks that CDI has not been able to fill.
var unfilled = Condition{"the cluster could not fill it", func(e *Edit) bool { return cluster.IsUnfilled(e.InCluster) }, unseen}

// isOwned holds for disks that belong to the VM in the cluster.
var isOwned = Condition{"it belongs to the VM in the cluster", func(e *Edit) bool {
	return slices.Contains(e.State.Owned(e.ID), strings.Trim(entry(e.Path), "[]"))
}, unseen}

// adviceGrowth is what to do about a claim that cannot grow.
const adviceGrowth = "use a new, larger disk, or set allowVolumeExpansion on the storage class if its driver can"

// cannotExpand holds for claims of a storage class that does not let them grow.
var cannotExpand = Condition{"its storage class does not allow it", func(e *Edit) bool {
	claim := e.State.Get(cluster.KindClaim, e.ID.Namespace, e.ID.Name)
	class := e.State.Get(cluster.KindStorageClass, "", manifest.Text(claim, "spec", "storageClassName"))
	return class != nil && manifest.At(class, "allowVolumeExpansion") != true
}, unseen}
