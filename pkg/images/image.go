package images

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// Image is a source of disks in one version.
type Image struct {
	Kind      string // key of the source, such as "dataSource"
	Reference string // as written, such as "namespace/name"; may contain credentials
	Version   string // in the fleet; the tag if no version or digest is set; may be empty
	Current   string // version in the cluster, in the form of Version; empty if unknown
	Status    Status // empty if not compared with a cluster
	VMs       int    // number of VMs that use it
	// Pos is the position of the version, or of the reference if no version is set.
	Pos source.Pos

	pin *source.Node // the version, or a reference with a digest; nil if there is neither
}

// Status is the result of comparing a version with that of the cluster.
type Status string

// The statuses of images.
const (
	Current     Status = "current"
	Behind      Status = "behind"
	Unversioned Status = "unversioned" // no version is set in the fleet, so nothing is rolled out
	Unknown     Status = "unknown"     // the cluster has no version to compare with
	Updated     Status = "updated"     // was behind, and was updated by this run
)

// List returns the images of the sources, sorted by position. A source that many VMs
// inherit is one image.
func List(sources []fleet.DiskSource) []Image {
	type place struct {
		content, version source.Pos
		reference        string
	}
	places := map[place]*Image{}
	users := map[*Image]map[string]bool{}
	for _, s := range sources {
		image := newImage(s)
		at := place{content: s.Content.Pos(), version: image.Pos, reference: image.Reference}
		if places[at] == nil {
			places[at] = &image
			users[&image] = map[string]bool{}
		}
		first := places[at]
		if !users[first][s.VM] { // two disks of a VM may have one source
			users[first][s.VM] = true
			first.VMs += s.VMs
		}
	}
	out := make([]Image, 0, len(places))
	for _, image := range places {
		out = append(out, *image)
	}
	slices.SortFunc(out, func(a, b Image) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Reference, b.Reference))
	})
	return out
}

func newImage(s fleet.DiskSource) Image {
	image := Image{Kind: s.Kind, Reference: s.Content.Text, Pos: s.Content.Pos()}
	switch _, tag, digest := split(image.Reference); {
	case s.Version != nil:
		image.Version, image.Pos, image.pin = s.Version.Text, s.Version.Pos(), s.Version
	case !image.isContainer():
	case digest != "":
		image.Version, image.pin = digest, s.Content
	default:
		image.Version = tag
	}
	return image
}

// isContainer reports whether the reference is one of a container image.
func (i *Image) isContainer() bool { return i.Kind == "registry" || i.Kind == "containerDisk" }

// split splits the reference of a container image; tag and digest may be empty. A
// colon before the last slash belongs to a port.
func split(reference string) (repository, tag, digest string) {
	repository = strings.TrimPrefix(reference, "docker://")
	repository, digest, _ = strings.Cut(repository, "@")
	if colon := strings.LastIndexByte(repository, ':'); colon > strings.LastIndexByte(repository, '/') {
		repository, tag = repository[:colon], repository[colon+1:]
	}
	return repository, tag, digest
}

// Masked returns the reference without secrets. See [secret.Masked].
func (i *Image) Masked() string { return secret.Masked(i.Reference) }

// Namespaces returns the namespaces of the DataSources among the images, or, if
// there are none, only the empty name, which stands for all namespaces.
func Namespaces(list []Image) []string {
	names := []string{}
	for _, i := range list {
		if namespace, _, ok := strings.Cut(i.Reference, "/"); ok && i.Kind == "dataSource" {
			names = append(names, namespace)
		}
	}
	if len(names) == 0 {
		return []string{""}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
