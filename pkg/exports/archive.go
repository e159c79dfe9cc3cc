package exports

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// What a reader of archives keeps in memory at most. An object cannot be larger in
// Kubernetes: etcd accepts 1.5 MiB. Disks in archives are skipped, however large they are.
const (
	maxObject = 4 << 20   // bytes of one file
	maxTotal  = 512 << 20 // bytes of all of them
)

// isArchive reports whether a file is one that [readArchive] reads, by its first 512 bytes.
func isArchive(head []byte) bool {
	return isGzip(head) || len(head) >= 262 && string(head[257:262]) == "ustar"
}

func isGzip(head []byte) bool { return len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b }

// readArchive reads the objects of VMs in a tar archive, which may be compressed by
// gzip: a backup by Velero or OADP, of which it leaves out Secrets, or the
// export of a VirtualMachine or VirtualMachineTemplate as an OCI image layout. It reads
// no further than to the last file that it needs, keeps none larger than 4 MiB, and no
// more than 512 MiB together.
//
// A VM that KubeVirt has exported has no namespace, claims in the place of
// DataVolumes, and the sizes of its instance type (v1.9, prepareVMConfig in
// pkg/storage/export/virt-exportserver/oci.go).
func readArchive(r io.Reader) ([]manifest.Object, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); isGzip(head) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
		return readTar(tar.NewReader(z))
	}
	return readTar(tar.NewReader(in))
}

// archive is what was read of an archive so far.
type archive struct {
	dir    fs.FS // that it was unpacked to; nil for a stream
	total  int
	layout layout
	backup backup
}

func readTar(r *tar.Reader) ([]manifest.Object, error) {
	a := archive{layout: layout{}}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return a.objects()
		}
		if err != nil {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
		if h.Typeflag == tar.TypeReg {
			if err := a.file(path.Clean(h.Name), h.Size, r); err != nil {
				return nil, err
			}
		}
		if a.layout.isComplete() {
			return a.objects()
		}
	}
}

// file reads a file of the archive if it could be needed.
func (a *archive) file(name string, size int64, r io.Reader) error {
	isResource := isResource(name)
	switch {
	case !isResource && !isLayoutFile(name), !isResource && size > maxObject:
		return nil
	case size > maxObject:
		return fmt.Errorf("%s: larger than %d MiB, which Kubernetes does not store", name, maxObject>>20)
	}
	if a.total += int(size); a.total > maxTotal {
		return fmt.Errorf("%s: the manifests in the archive are larger than %d MiB", name, maxTotal>>20)
	}
	content, err := io.ReadAll(io.LimitReader(r, maxObject))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if isResource {
		return a.backup.add(name, content)
	}
	a.layout[name] = content
	return nil
}

func (a *archive) objects() ([]manifest.Object, error) {
	switch {
	case a.backup.files > 0:
		return a.backup.objects, nil
	case len(a.layout) > 0:
		return a.layout.objects()
	}
	return nil, errors.New("the archive is neither a backup by Velero, with resources/virtualmachines.kubevirt.io, " +
		"nor an OCI image layout, with index.json")
}

// backup is the objects of a backup by Velero: JSON files in
// resources/RESOURCE.GROUP/namespaces/NAMESPACE/NAME.json or resources/RESOURCE.GROUP/cluster.
// The same objects are again in directories of their versions, such as
// resources/RESOURCE.GROUP/v1-preferredversion, which are not read (vmware-tanzu/velero,
// site/content/docs/main/output-file-format.md, version 1.1).
type backup struct {
	files   int
	objects []manifest.Object
}

// resources are the kinds of objects in a backup that contain facts about VMs.
// Secrets do not, and stay unread.
var resources = []string{
	"virtualmachines.kubevirt.io", "virtualmachineinstances.kubevirt.io", "datavolumes.cdi.kubevirt.io",
	"persistentvolumeclaims", "services", "controllerrevisions.apps",
	"virtualmachineinstancetypes.instancetype.kubevirt.io", "virtualmachinepreferences.instancetype.kubevirt.io",
	"virtualmachineclusterinstancetypes.instancetype.kubevirt.io",
	"virtualmachineclusterpreferences.instancetype.kubevirt.io", "virtualmachinetemplates.template.kubevirt.io",
	"templates.template.openshift.io",
}

// scopes are the directories of a resource in a backup.
var scopes = []string{"namespaces", "cluster"}

// isResource reports whether a file is an object of a backup that is read.
func isResource(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) >= 4 && parts[0] == "resources" && slices.Contains(resources, parts[1]) &&
		slices.Contains(scopes, parts[2]) && path.Ext(name) == ".json"
}

// add reads a file, but no Secret in it.
func (b *backup) add(name string, content []byte) error {
	b.files++
	objects, err := manifest.ReadNamed(name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	isSecret := func(o manifest.Object) bool { return o.Kind == "Secret" }
	b.objects = append(b.objects, slices.DeleteFunc(objects, isSecret)...)
	return nil
}
