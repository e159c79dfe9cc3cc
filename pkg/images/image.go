package images

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// Image is one source of disks in one version.
type Image struct {
	Kind      string // key of the source, such as "dataSource"
	Reference string // as written, such as "namespace/name"; may hold credentials
	Version   string // what is used; a tag where nothing says it better; empty where nothing does
	Current   string // what the cluster has, in the form that Version has; empty where it is not known
	Status    Status // empty where no cluster was asked
	VMs       int    // how many VMs use it
	// Pos is where the version is written, or where there is none, the reference.
	Pos source.Pos

	pin *source.Node // what holds the version: it, or a reference with a digest; nil for none
}

// Status is how a version compares with the cluster's.
type Status string

// The statuses of images.
const (
	Current     Status = "current"
	Behind      Status = "behind"
	Unversioned Status = "unversioned" // the fleet names no version, so that nothing rolls out
	Unknown     Status = "unknown"     // the cluster does not say
	Updated     Status = "updated"     // was behind, until now
)

// List returns the images that the sources name, in the order of their places. A
// source that many VMs inherit is one image.
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
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Reference, b.Reference))
	})
	return out
}

func newImage(s fleet.DiskSource) Image {
	image := Image{Kind: s.Kind, Reference: s.Content.Text, Pos: s.Content.Pos()}
	switch _, tag, digest := split(image.Reference); {
	case s.Version != nil:
		image.Version, image.Pos, image.pin = s.Version.Text, s.Version.Pos(), s.Version
	case !image.container():
	case digest != "":
		image.Version, image.pin = digest, s.Content
	default:
		image.Version = tag
	}
	return image
}

// container tells whether the reference is one of a container image.
func (i *Image) container() bool { return i.Kind == "registry" || i.Kind == "containerDisk" }

// split takes the reference of a container image apart; tag and digest may be
// empty. A colon before the last slash is that of a port.
func split(reference string) (repository, tag, digest string) {
	repository = strings.TrimPrefix(reference, "docker://")
	repository, digest, _ = strings.Cut(repository, "@")
	if colon := strings.LastIndexByte(repository, ':'); colon > strings.LastIndexByte(repository, '/') {
		repository, tag = repository[:colon], repository[colon+1:]
	}
	return repository, tag, digest
}

// Masked is the reference without what gives access: user and password of an
// address, and its query, which may be signed.
func (i *Image) Masked() string {
	scheme, rest, ok := strings.Cut(i.Reference, "://")
	if !ok {
		return i.Reference
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 && !strings.HasPrefix(host[at:], "@sha") {
		host = "***" + host[at:]
	}
	if path != "" {
		host += "/" + path
	}
	if before, _, ok := strings.Cut(host, "?"); ok {
		host = before + "?***"
	}
	return scheme + "://" + host
}

// Namespaces are those of the DataSources among the images; with none of them
// the empty name, which stands for all.
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
