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

// Versions are the versions that a cluster has.
//
// The version of a DataSource is the name of the claim or snapshot that it points
// at, without the DataSource's own name before it: CDI names what a
// DataImportCron imports by the DataSource and the first 12 digits of the image's
// digest (containerized-data-importer v1.66, dataimportcron-controller.go,
// createDvName). So the DataSource "rhel9" that points at "rhel9-0a1b2c3d4e5f"
// has the version "0a1b2c3d4e5f". In a fleet the whole name and the digest
// ("sha256:…") are understood as well.
//
// The version of a container image is the digest that a DataImportCron for the
// same reference has imported last.
type Versions struct {
	dataSources  map[string]version   // by namespace/name
	repositories map[string][]tracked // what DataImportCrons import, by repository
}

// version is one version in the forms that it is written in; each but short may be empty.
type version struct{ short, name, digest string }

// The form of digests, and how many digits of them CDI puts into names.
const (
	digestPrefix = "sha256:"
	shortDigits  = 12
)

// tracked is what a DataImportCron follows.
type tracked struct {
	tag string
	version
}

// ReadVersions takes the DataSources and DataImportCrons of a stream of
// manifests, as `kubectl get datasources,dataimportcrons -A -o yaml` prints
// them; other kinds are passed over.
func ReadVersions(r io.Reader) (*Versions, error) {
	objects, err := manifest.Read(r)
	if err != nil {
		return nil, err
	}
	v := &Versions{dataSources: map[string]version{}, repositories: map[string][]tracked{}}
	digests := map[string]string{} // of what was imported, by namespace/name
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

// Empty tells that nothing is known: there was no DataSource, and no
// DataImportCron that imports a container image.
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

// target is the claim or snapshot that a DataSource points at.
func target(s *cdiv1.DataSourceSource) (namespace, name string) {
	switch {
	case s.PVC != nil:
		return s.PVC.Namespace, s.PVC.Name
	case s.Snapshot != nil:
		return s.Snapshot.Namespace, s.Snapshot.Name
	}
	return "", ""
}

// Compare sets status and current version of the images.
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
		case image.container() && !strings.HasPrefix(image.Version, digestPrefix):
			image.Status = Unknown // a version of the user's own, which no digest can be compared with
			continue
		case now.is(image.Version):
			image.Status = Current
		default:
			image.Status = Behind
		}
		image.Current = now.like(image.Version)
	}
}

// of is the cluster's version of an image. A reference without a tag is looked
// for among all tags, and known where one is followed.
func (v *Versions) of(image *Image) (version, bool) {
	if image.Kind == "dataSource" {
		now, known := v.dataSources[image.Reference]
		return now, known
	}
	if !image.container() {
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

// is tells whether a text means this version. Of a digest the first digits are
// enough, which is all that the name of a claim has.
func (v version) is(text string) bool {
	hex, digest := strings.CutPrefix(text, digestPrefix)
	return text == v.short || text == v.name || text == v.digest || digest && len(v.short) == shortDigits && strings.HasPrefix(hex, v.short)
}

// like is the version in the form that a text has.
func (v version) like(text string) string {
	switch {
	case v.digest != "" && strings.HasPrefix(text, digestPrefix):
		return v.digest
	case v.name != "" && v.name != v.short && strings.HasPrefix(text, strings.TrimSuffix(v.name, v.short)):
		return v.name
	}
	return v.short
}
