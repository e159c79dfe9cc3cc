package images

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Versions contains the versions of the images in a cluster.
//
// The version of a DataSource is the name of the PVC or snapshot that it points to,
// without the DataSource's own name as a prefix. CDI names the imports of a
// DataImportCron after the DataSource and the first 12 digits of the image's digest
// (containerized-data-importer v1.66, dataimportcron-controller.go, createDvName).
// So the DataSource "rhel9" that points to "rhel9-0a1b2c3d4e5f" has the version
// "0a1b2c3d4e5f". A fleet may also use the whole name or the digest ("sha256:…").
//
// The version of a container image is the digest of the last import of a
// DataImportCron with the same reference.
type Versions struct {
	dataSources  map[string]version   // by namespace/name
	repositories map[string][]tracked // imports of DataImportCrons, by repository
}

// version is one version in its three forms; name and digest may be empty.
type version struct{ short, name, digest string }

// The prefix of digests, and the number of their digits in names by CDI.
const (
	digestPrefix = "sha256:"
	shortDigits  = 12
)

// tracked is a tag that a DataImportCron follows, with its last import.
type tracked struct {
	tag string
	version
}

// ReadVersions reads the DataSources and DataImportCrons of a stream of manifests,
// such as the output of `kubectl get datasources,dataimportcrons -A -o yaml`. It
// ignores other kinds.
func ReadVersions(r io.Reader) (*Versions, error) {
	objects, err := manifest.Read(r)
	if err != nil {
		return nil, err
	}
	v := &Versions{dataSources: map[string]version{}, repositories: map[string][]tracked{}}
	digests := map[string]string{} // of imports, by namespace/name
	for _, o := range objects {
		if o.Group() == "cdi.kubevirt.io" && o.Kind == "DataImportCron" {
			if err := v.addCron(o, digests); err != nil {
				return nil, err
			}
		}
	}
	for _, o := range objects {
		if o.Group() == "cdi.kubevirt.io" && o.Kind == "DataSource" {
			if err := v.addDataSource(o, digests); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// Empty reports whether there are no versions: no DataSource, and no DataImportCron
// that has imported a container image.
func (v *Versions) Empty() bool { return len(v.dataSources)+len(v.repositories) == 0 }

func (v *Versions) addCron(o manifest.Object, digests map[string]string) error {
	var cron cdiv1.DataImportCron
	if err := json.Unmarshal(o.JSON, &cron); err != nil {
		return fmt.Errorf("reading %s: %w", o, err)
	}
	for _, i := range cron.Status.CurrentImports {
		digests[o.Namespace+"/"+i.DataVolumeName] = i.Digest
	}
	from := cron.Spec.Template.Spec.Source
	if from == nil || from.Registry == nil || from.Registry.URL == nil || len(cron.Status.CurrentImports) == 0 {
		return nil
	}
	repository, tag, _ := split(*from.Registry.URL)
	digest := cron.Status.CurrentImports[0].Digest
	follows := tracked{tag, version{short: digest, digest: digest}}
	if !slices.Contains(v.repositories[repository], follows) {
		v.repositories[repository] = append(v.repositories[repository], follows)
	}
	return nil
}

func (v *Versions) addDataSource(o manifest.Object, digests map[string]string) error {
	var ds cdiv1.DataSource
	if err := json.Unmarshal(o.JSON, &ds); err != nil {
		return fmt.Errorf("reading %s: %w", o, err)
	}
	namespace, name := target(&ds.Status.Source)
	if name == "" {
		namespace, name = target(&ds.Spec.Source)
	}
	if name == "" {
		return nil
	}
	found := version{short: strings.TrimPrefix(name, o.Name+"-"), name: name, digest: digests[namespace+"/"+name]}
	v.dataSources[o.Namespace+"/"+o.Name] = found
	return nil
}

// target returns the PVC or snapshot that a DataSource points to.
func target(s *cdiv1.DataSourceSource) (namespace, name string) {
	switch {
	case s.PVC != nil:
		return s.PVC.Namespace, s.PVC.Name
	case s.Snapshot != nil:
		return s.Snapshot.Namespace, s.Snapshot.Name
	}
	return "", ""
}

// Compare sets the status and current version of the images.
func (v *Versions) Compare(list []Image) {
	for i := range list {
		image := &list[i]
		now, known := v.of(image)
		switch {
		case !known:
			image.Status = Unknown
			continue
		case image.pin == nil:
			image.Status = Unversioned
		case image.isContainer() && !strings.HasPrefix(image.Version, digestPrefix):
			image.Status = Unknown // the user's own version, which cannot be compared with a digest
			continue
		case now.is(image.Version):
			image.Status = Current
		default:
			image.Status = Behind
		}
		image.Current = now.like(image.Version)
	}
}

// of returns the cluster's version of an image. A reference with a digest and no
// tag has a version if exactly one tag of the repository is followed.
func (v *Versions) of(image *Image) (version, bool) {
	if image.Kind == "dataSource" {
		now, known := v.dataSources[image.Reference]
		return now, known
	}
	if !image.isContainer() {
		return version{}, false
	}
	repository, tag, digest := split(image.Reference)
	all := v.repositories[repository]
	if tag != "" || digest == "" {
		all = slices.DeleteFunc(slices.Clone(all), func(t tracked) bool { return orLatest(t.tag) != orLatest(tag) })
	}
	if len(all) != 1 {
		return version{}, false
	}
	return all[0].version, true
}

func orLatest(tag string) string {
	if tag == "" {
		return "latest"
	}
	return tag
}

// is reports whether a string means this version. A digest matches by its first
// digits, because the name of a PVC contains no more of them.
func (v version) is(text string) bool {
	hex, digest := strings.CutPrefix(text, digestPrefix)
	return text == v.short || text == v.name || text == v.digest ||
		digest && len(v.short) == shortDigits && strings.HasPrefix(hex, v.short)
}

// like returns the version in the same form as the text.
func (v version) like(text string) string {
	switch {
	case v.digest != "" && strings.HasPrefix(text, digestPrefix):
		return v.digest
	case v.name != "" && v.name != v.short && strings.HasPrefix(text, strings.TrimSuffix(v.name, v.short)):
		return v.name
	}
	return v.short
}
