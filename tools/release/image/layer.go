package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// file is a file in the image, by its path from the root without a leading slash.
type file struct {
	path string
	mode int64
	data []byte
}

// layer returns a layer of files, which are sorted by path, and of their directories
// that are not in the base. Directories in the base keep their owner and mode.
// Without entries for the others, some engines unpack directories that only root can
// read.
func layer(base v1.Image, files []file, existing map[string]bool, date time.Time) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	written := map[string]bool{}
	for _, f := range files {
		for _, dir := range parents(f.path) {
			if existing[dir] || written[dir] {
				continue
			}
			written[dir] = true
			header := &tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o555, ModTime: date}
			if err := w.WriteHeader(header); err != nil {
				return nil, err
			}
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Size: int64(len(f.data)), ModTime: date}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	kind, err := layerType(base)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(kind), tarball.WithCompressedCaching)
}

// parents returns the parent directories of a path, from the top.
func parents(name string) []string {
	var list []string
	for at, c := range name {
		if c == '/' {
			list = append(list, name[:at])
		}
	}
	return list
}

// layerType returns the type of layers in images of the base's kind.
func layerType(base v1.Image) (types.MediaType, error) {
	kind, err := base.MediaType()
	if kind == types.DockerManifestSchema2 {
		return types.DockerLayer, err
	}
	return types.OCILayer, err
}

// paths returns everything that an image contains, by path.
func paths(img v1.Image) (map[string]bool, error) {
	found := map[string]bool{}
	layers, err := img.Layers()
	if err != nil || len(layers) == 0 {
		return found, err
	}
	content := mutate.Extract(img)
	defer content.Close()
	for r := tar.NewReader(content); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		found[strings.TrimPrefix(path.Clean("/"+header.Name), "/")] = true
	}
}
