package drill

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// maker is a kind of objects that make an object of another kind.
type maker struct {
	makes, by string
	// name is the path of the name of what it makes, and namespace that of its namespace. Without a path, and without a
	// value at it, they are those of the maker.
	name, namespace []string
}

// The kinds of objects that VMs need.
const (
	kindConfigMap  = "ConfigMap"
	kindAttachment = "NetworkAttachmentDefinition.k8s.cni.cncf.io"
	kindUDN        = "UserDefinedNetwork.k8s.ovn.org"
	kindCUDN       = "ClusterUserDefinedNetwork.k8s.ovn.org"
	kindDataSource = "DataSource.cdi.kubevirt.io"
	kindImport     = "DataImportCron.cdi.kubevirt.io"
	kindHCO        = "HyperConverged.hco.kubevirt.io"
	kindVolume     = "VolumeSnapshot.snapshot.storage.k8s.io"
	kindNamespace  = "Namespace"
)

// makers are the objects that controllers make others from:
//   - External Secrets v0.10, apis/externalsecrets/v1beta1/externalsecret_types.go, ExternalSecretTarget
//   - Sealed Secrets v0.27: a Secret has the name of its SealedSecret
//   - cert-manager v1.16, pkg/apis/certmanager/v1/types_certificate.go, CertificateSpec
//   - Vault Secrets Operator v0.9, api/v1beta1/vaultstaticsecret_types.go, Destination
//   - OVN-Kubernetes, go-controller/pkg/clustermanager/userdefinednetwork: a definition has the name of its network
//   - SR-IOV Network Operator v1.4, api/v1/sriovnetwork_types.go, SriovNetworkSpec
//   - CDI v1.66, core/v1beta1/types.go, DataImportCronSpec
var makers = []maker{
	{makes: cluster.KindSecret, by: "ExternalSecret.external-secrets.io", name: []string{"spec", "target", "name"}},
	{makes: cluster.KindSecret, by: "SealedSecret.bitnami.com"},
	{makes: cluster.KindSecret, by: "Certificate.cert-manager.io", name: []string{"spec", "secretName"}},
	{
		makes: cluster.KindSecret, by: "VaultStaticSecret.secrets.hashicorp.com",
		name: []string{"spec", "destination", "name"},
	},
	{makes: kindAttachment, by: kindUDN},
	{
		makes: kindAttachment, by: "SriovNetwork.sriovnetwork.openshift.io",
		namespace: []string{"spec", "networkNamespace"},
	},
	{makes: kindDataSource, by: kindImport, name: []string{"spec", "managedDataSource"}},
}

// given are the ConfigMaps that each namespace of Kubernetes (v1.34, pkg/controller/certificates/rootcacertpublisher)
// and OpenShift (service-ca-operator, docs of the service CA) has.
var given = []string{"kube-root-ca.crt", "openshift-service-ca.crt"}

// supplies reports whether Git has an object of a kind with its group, or one that makes it.
func (d *driller) supplies(kind, namespace, name string) bool {
	switch {
	case kind == cluster.KindSecret && d.git.Secret(namespace, name) != nil,
		kind == kindConfigMap && slices.Contains(given, name),
		kind == kindAttachment && d.isAttached(namespace, name),
		d.git.Get(kind, namespace, name) != nil:
		return true
	}
	return slices.ContainsFunc(makers, func(m maker) bool {
		return m.makes == kind && slices.ContainsFunc(d.git.ByKind[m.by], func(e cluster.Entity) bool {
			return orElse(e.Object, m.name, e.ID.Name) == name && orElse(e.Object, m.namespace, e.ID.Namespace) == namespace
		})
	})
}

// orElse returns the text at a path, or another one if there is no path or no text.
func orElse(object manifest.Tree, path []string, other string) string {
	if path == nil {
		return other
	}
	if s := manifest.Text(object, path...); s != "" {
		return s
	}
	return other
}

// isAttached reports whether a ClusterUserDefinedNetwork of Git is that of a definition in a namespace.
func (d *driller) isAttached(namespace, name string) bool {
	network := d.git.Get(kindCUDN, "", name)
	return network != nil && d.selectsNamespace(network, namespace)
}

// selectsNamespace reports whether a ClusterUserDefinedNetwork selects a namespace by its labels: Kubernetes gives each
// one its name as a label.
func (d *driller) selectsNamespace(network manifest.Tree, namespace string) bool {
	labels := manifest.Tree{"kubernetes.io/metadata.name": namespace}
	for _, state := range []*cluster.State{d.Live, d.git} {
		maps.Copy(labels, labelsOf(state.Get(kindNamespace, "", namespace)))
	}
	return cluster.Selects(manifest.At(network, "spec", "namespaceSelector"), labels)
}

// idOf returns the identity of an object by its kind with its group.
func idOf(kind, namespace, name string) manifest.ID {
	short, group, has := strings.Cut(kind, ".")
	id := manifest.ID{APIVersion: "v1", Kind: short, Namespace: namespace, Name: name}
	if has {
		id.APIVersion = group + "/v1"
	}
	return id
}

// named returns an object for users, such as "Secret prod/login".
func named(id manifest.ID) string {
	return id.Kind + " " + strings.TrimPrefix(id.Namespace+"/"+id.Name, "/")
}

// lacking returns the loss of an object that Git does not have.
func (d *driller) lacking(kind Kind, of, namespace, name, role string) Loss {
	id := idOf(of, namespace, name)
	where := "Git does not render it"
	if d.isGone(of, id) {
		where = "neither Git nor the cluster has it"
	}
	return Loss{Kind: kind, Object: id, Reason: strings.TrimPrefix(role+" ", " ") + named(id) + ": " + where}
}

// isGone reports whether the cluster is known not to have an object. Secrets and ConfigMaps are not looked for.
func (d *driller) isGone(kind string, id manifest.ID) bool {
	if kind == cluster.KindSecret || kind == kindConfigMap {
		return false
	}
	short, group, _ := strings.Cut(kind, ".")
	return d.Live.Get(kind, id.Namespace, id.Name) == nil && (d.isWhole || d.Live.Covers(group, short, id.Namespace))
}
