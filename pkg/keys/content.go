package keys

import (
	"strings"

	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
)

// DataVolume is the rows of the DataVolume of a disk, next to those of [Storage].
var DataVolume = Table[cdiv1.DataVolumeSpec, machine.Disk]{
	Part: "disk",
	Rows: []Row[cdiv1.DataVolumeSpec, machine.Disk]{
		{
			Key: "source", Also: []string{ // `source` of the DataVolume can have more fields, such as checkpoints
				"sourceRef", "pvc.dataSource", "pvc.dataSourceRef", "storage.dataSource", "storage.dataSourceRef",
			},
		},
		{
			Key: "preallocation", Path: "preallocation",
			Set: func(v *cdiv1.DataVolumeSpec, d *machine.Disk) { v.Preallocation = d.Preallocation },
			Get: func(v *cdiv1.DataVolumeSpec, _ *Inherited) any { return v.Preallocation },
		},
	},
}

// SetContent writes what a DataVolume is filled with: exactly one kind of source, or nothing. What users write in CDI's
// own form (`dataSourceRef`, `vddk`, `imageio`) is decoded elsewhere.
func SetContent(v *cdiv1.DataVolumeSpec, s *catalog.Source) {
	if s.DataSource != "" {
		v.SourceRef = dataSourceRef(s.DataSource)
		return
	}
	v.Source = new(cdiv1.DataVolumeSource)
	switch to := v.Source; {
	case s.Registry != "":
		to.Registry = &cdiv1.DataVolumeSourceRegistry{
			URL: &s.Registry, SecretRef: optional(&s.Secret), CertConfigMap: optional(&s.CertConfigMap),
		}
	case s.HTTP != "":
		to.HTTP = &cdiv1.DataVolumeSourceHTTP{URL: s.HTTP, SecretRef: s.Secret, CertConfigMap: s.CertConfigMap}
	case s.S3 != "":
		to.S3 = &cdiv1.DataVolumeSourceS3{URL: s.S3, SecretRef: s.Secret, CertConfigMap: s.CertConfigMap}
	case s.GCS != "":
		to.GCS = &cdiv1.DataVolumeSourceGCS{URL: s.GCS, SecretRef: s.Secret}
	case s.PVC != "":
		to.PVC = new(cdiv1.DataVolumeSourcePVC)
		to.PVC.Namespace, to.PVC.Name = split(s.PVC)
	case s.Snapshot != "":
		to.Snapshot = new(cdiv1.DataVolumeSourceSnapshot)
		to.Snapshot.Namespace, to.Snapshot.Name = split(s.Snapshot)
	case s.Upload:
		to.Upload = &cdiv1.DataVolumeSourceUpload{}
	default:
		to.Blank = &cdiv1.DataVolumeBlankImage{}
	}
}

// GetContent sets what [SetContent] writes, and what is in CDI's own form.
func GetContent(to *node.Map, v *cdiv1.DataVolumeSpec) {
	if r := v.SourceRef; r != nil {
		to.Set("dataSource", slashed(valueOf(r.Namespace), r.Name))
	}
	if v.Storage != nil && v.Storage.DataSourceRef != nil {
		to.Set("dataSourceRef", v.Storage.DataSourceRef)
	}
	if v.Source == nil {
		return
	}
	switch c := v.Source; {
	case c.Registry != nil:
		to.Set("registry", valueOf(c.Registry.URL))
		to.Set("secret", valueOf(c.Registry.SecretRef))
		to.Set("certConfigMap", valueOf(c.Registry.CertConfigMap))
	case c.HTTP != nil:
		to.Set("http", c.HTTP.URL)
		to.Set("secret", c.HTTP.SecretRef)
		to.Set("certConfigMap", c.HTTP.CertConfigMap)
	case c.S3 != nil:
		to.Set("s3", c.S3.URL)
		to.Set("secret", c.S3.SecretRef)
		to.Set("certConfigMap", c.S3.CertConfigMap)
	case c.GCS != nil:
		to.Set("gcs", c.GCS.URL)
		to.Set("secret", c.GCS.SecretRef)
	case c.PVC != nil:
		to.Set("pvc", slashed(c.PVC.Namespace, c.PVC.Name))
	case c.Snapshot != nil:
		to.Set("snapshot", slashed(c.Snapshot.Namespace, c.Snapshot.Name))
	case c.Upload != nil:
		to.Set("upload", true)
	case c.Blank != nil:
		to.Set("blank", true)
	case c.VDDK != nil:
		to.Set("vddk", c.VDDK)
	case c.Imageio != nil:
		to.Set("imageio", c.Imageio)
	}
}

func dataSourceRef(text string) *cdiv1.DataVolumeSourceRef {
	namespace, name := split(text)
	return &cdiv1.DataVolumeSourceRef{Kind: cdiv1.DataVolumeDataSource, Name: name, Namespace: optional(&namespace)}
}

// split splits "namespace/name"; the namespace may be missing.
func split(text string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return namespace, name
	}
	return "", text
}

// slashed returns namespace/name, or the name alone.
func slashed(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
