package exports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// layout is the small files of an OCI image layout by name: index.json, and blobs in
// blobs/sha256. `virtctl vmexport download --format=oci` writes one with a single manifest,
// whose config is the VirtualMachine as JSON, and whose layers are its disks (KubeVirt
// v1.9, pkg/storage/oci/oci.go; VEP 256).
type layout map[string][]byte

const indexFile = "index.json"

// configTypes are the media types of a config that is an object (KubeVirt v1.9,
// pkg/storage/oci/oci.go).
var configTypes = []string{
	"application/vnd.kubevirt.virtualmachine.config.v1+json",
	"application/vnd.kubevirt.virtualmachinetemplate.config.v1+json",
}

// digest is the form of a blob's digest; it becomes part of a path.
var digest = lazyregexp.New(`^sha256:([0-9a-f]{64})$`)

func isLayoutFile(name string) bool {
	return name == indexFile || path.Dir(name) == "blobs/sha256"
}

// isComplete reports whether all files that are needed were read.
func (l layout) isComplete() bool { return l[indexFile] != nil && l.next() == "" }

// next returns the first file that is needed, and was not read; "" if there is none.
func (l layout) next() string {
	if l[indexFile] == nil {
		return indexFile
	}
	names, err := l.needed()
	if err != nil {
		return ""
	}
	if i := slices.IndexFunc(names, func(name string) bool { return l[name] == nil }); i >= 0 {
		return names[i]
	}
	return ""
}

// needed returns the files of the manifests, and of the configs of those that were read.
func (l layout) needed() ([]string, error) {
	names, err := l.blobs(manifest.Decode(l[indexFile]), "manifests")
	if err != nil {
		return nil, err
	}
	var configs []string
	for _, name := range names {
		config, err := l.config(manifest.Decode(l[name]))
		if err != nil {
			return nil, err
		}
		if config != "" {
			configs = append(configs, config)
		}
	}
	return append(names, configs...), nil
}

// blobs returns the files of the descriptors in a list.
func (l layout) blobs(of tree, key string) ([]string, error) {
	var out []string
	for _, d := range manifest.List(of, key) {
		name, err := blob(d)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// config returns the file of a manifest's config if that is an object; "" otherwise.
func (l layout) config(of tree) (string, error) {
	if !slices.Contains(configTypes, manifest.Text(of, "config", "mediaType")) {
		return "", nil
	}
	return blob(manifest.At(of, "config"))
}

// blob returns the file that a descriptor names.
func blob(descriptor any) (string, error) {
	d := manifest.Text(descriptor, "digest")
	m := digest().FindStringSubmatch(d)
	if m == nil {
		return "", fmt.Errorf("%s: digest %q; accepted: sha256 with 64 hexadecimal digits", indexFile, d)
	}
	return "blobs/sha256/" + m[1], nil
}

// objects returns the objects of all manifests.
func (l layout) objects() ([]manifest.Object, error) {
	names, err := l.blobs(manifest.Decode(l[indexFile]), "manifests")
	if err != nil {
		return nil, err
	}
	var out []manifest.Object
	for _, name := range names {
		found, err := l.object(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no VM in the OCI image layout; "+
			"accepted: an export by `virtctl vmexport download --format=oci`", indexFile)
	}
	return out, nil
}

// object returns the object that is the config of a manifest; none for other images.
func (l layout) object(name string) ([]manifest.Object, error) {
	of, err := l.verified(name)
	if err != nil {
		return nil, err
	}
	config, err := l.config(manifest.Decode(of))
	if config == "" {
		return nil, err
	}
	content, err := l.verified(config)
	if err != nil {
		return nil, err
	}
	return manifest.ReadNamed(config, bytes.NewReader(content))
}

// verified returns the content of a blob, whose name is its digest.
func (l layout) verified(name string) ([]byte, error) {
	content, ok := l[name]
	if !ok {
		return nil, fmt.Errorf("%s: missing in the OCI image layout, or larger than %d MiB", name, maxObject>>20)
	}
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != path.Base(name) {
		return nil, fmt.Errorf("%s: damaged: its content has another digest", name)
	}
	return content, nil
}
