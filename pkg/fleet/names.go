package fleet

import (
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkNames reports names in the VM keys of a level that the catalog does not
// contain, of networks, storage classes and images. [Fleet.level] checks the others.
func (f *Fleet) checkNames(keys *source.Node, path string, diags *source.Diagnostics) {
	f.checkNetworks(keys.Get("nics"), path, diags)
	for _, disk := range keys.Get("disks").Entries() {
		path := func() string { return source.JoinPath(source.JoinPath(path, "disks"), disk.Key) }
		if n := disk.Value.Get("storageClass"); n.Str() != "" && f.Catalog.StorageClass(n.Text) == nil &&
			len(f.Catalog.Names("storageClasses")) > 0 {
			f.reportUnknown(diags, n, path()+".storageClass", "storage class", "storageClasses")
		}
		if n := disk.Value.Get("source", "image"); n.Str() != "" && f.Catalog.Image(n.Text) == nil {
			f.reportUnknown(diags, n, path()+".source.image", "image", "images")
		}
	}
}

// checkNetworks reports unknown networks of NICs, in the short and the long form.
func (f *Fleet) checkNetworks(nics *source.Node, path string, diags *source.Diagnostics) {
	if nics == nil || nics.Kind != source.List {
		return
	}
	for i, n := range nics.Items {
		path := func() string { return source.IndexPath(source.JoinPath(path, "nics"), i) }
		if n.Kind == source.Map {
			f.checkBinding(n.Get("binding"), path, diags)
			n = n.Get("network")
		}
		if name := n.Str(); name != "" && !strings.Contains(name, "/") && f.Catalog.Network(name) == nil {
			diags.Errorf(n.Pos(), rule.UnknownName, path(), "%s", f.Catalog.UnknownNetwork(name))
		}
	}
}

// checkBinding warns of a binding that looks like a typo. Any other name can be that of
// a network binding plugin, which the cluster's administrator chooses.
func (f *Fleet) checkBinding(n *source.Node, nic func() string, diags *source.Diagnostics) {
	core := []string{"bridge", "masquerade", "sriov"}
	if near, ok := suggest.Nearest(n.Str(), core); ok && near != n.Text && n.Text != "l2bridge" {
		diags.Warnf(n.Pos(), rule.UnknownName, nic()+".binding",
			"%q is the name of a network binding plugin; did you mean %q?", n.Text, near)
	}
}
