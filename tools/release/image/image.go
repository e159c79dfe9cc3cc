// Package image assembles the image of the sidecar and of the Jobs without a
// container engine. The image is a layer of read-only files that belong to root
// and have the date of the commit.
package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/vmrender/vmrender/tools/release/license"
	"github.com/vmrender/vmrender/tools/release/program"
)

// The paths in the image. plugin/kustomize and pkg/render rely on the first two.
const (
	programs = "usr/local/bin"
	plugin   = "home/argocd/cmp-server/config/plugin.yaml" // where Argo CD's cmp-server reads it
	licenses = "licenses"
)

// Commands are the programs in the image, as a pattern of packages.
const Commands = "./cmd/..."

// Source is the input for assembling images.
type Source struct {
	Root      string // of the repository
	Platforms []program.Platform
	// Base returns the image to add the programs to, or nil if they need none.
	Base func(program.Platform) (v1.Image, error)
}

// Assemble builds the programs and returns an index with one image per platform, and Go's
// record in the programs.
func (s Source) Assemble(ctx context.Context) (v1.ImageIndex, program.Info, error) {
	var info program.Info
	if len(s.Platforms) == 0 {
		return nil, info, errors.New("no platform; expected at least one")
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range s.Platforms {
		base, err := s.Base(p)
		if err != nil {
			return nil, info, err
		}
		var img v1.Image
		if img, info, err = assemble(ctx, s.Root, p, base); err != nil {
			return nil, info, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.OS, Architecture: p.Arch}},
		})
	}
	return mutate.Annotations(index, labels(info)).(v1.ImageIndex), info, nil
}

// assemble returns the image of one platform.
func assemble(ctx context.Context, root string, p program.Platform, base v1.Image) (v1.Image, program.Info, error) {
	files, info, err := contents(ctx, root, p)
	if err != nil {
		return nil, info, err
	}
	if base == nil {
		base = mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	}
	img, err := over(base, p, files, info)
	return img, info, err
}

// over adds files to a base and sets how the image is run.
func over(base v1.Image, p program.Platform, files []file, info program.Info) (v1.Image, error) {
	existing, err := paths(base)
	if err != nil {
		return nil, fmt.Errorf("reading the base: %w", err)
	}
	added, err := layer(base, files, existing, info.Date)
	if err != nil {
		return nil, err
	}
	img, err := mutate.Append(base, mutate.Addendum{
		Layer:   added,
		History: v1.History{Created: v1.Time{Time: info.Date}, CreatedBy: "vmrender " + info.Version},
	})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = v1.Time{Time: info.Date}, p.OS, p.Arch
	configure(&config.Config, info)
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(img, labels(info)).(v1.Image), nil
}

// configure sets how the image is run, overriding its base.
func configure(c *v1.Config, info program.Info) {
	// The user of Argo CD's repo-server, with which the sidecar shares a
	// directory. It is a number so that Kubernetes can see that it is not root.
	c.User = "999"
	// Argo CD's init container puts it there. Jobs specify another command.
	c.Entrypoint, c.Cmd = []string{"/var/run/argocd/argocd-cmp-server"}, nil
	c.Env = slices.DeleteFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	c.Env = append(c.Env, "PATH=/usr/local/bin:/usr/bin:/bin")
	c.Labels = labels(info)
}

// labels returns the labels that the OCI image specification defines (v1.1,
// annotations.md).
func labels(info program.Info) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "vmrender",
		"org.opencontainers.image.description": "Renders fleets of KubeVirt virtual machines, as a plugin of Argo CD",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.source":      "https://github.com/vmrender/vmrender",
		"org.opencontainers.image.version":     info.Version,
		"org.opencontainers.image.revision":    info.Commit,
		"org.opencontainers.image.created":     info.Date.Format(time.RFC3339),
	}
}

// contents builds the programs and returns the files of the image, by path.
func contents(ctx context.Context, root string, p program.Platform) ([]file, program.Info, error) {
	var info program.Info
	dir, err := os.MkdirTemp("", "vmrender-image-")
	if err != nil {
		return nil, info, err
	}
	defer os.RemoveAll(dir)
	if err := p.Build(ctx, root, dir, Commands); err != nil {
		return nil, info, err
	}
	built, err := os.ReadDir(dir)
	if err != nil {
		return nil, info, err
	}
	var files []file
	for _, entry := range built {
		if info, err = program.Read(filepath.Join(dir, entry.Name())); err != nil {
			return nil, info, err
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, info, err
		}
		files = append(files, file{path.Join(programs, entry.Name()), 0o555, data})
	}
	described, err := os.ReadFile(filepath.Join(root, "plugin", "plugin.yaml"))
	if err != nil {
		return nil, info, err
	}
	files = append(files, file{plugin, 0o444, described})
	texts, err := license.Collect(ctx, root, p, Commands)
	for name, data := range texts {
		files = append(files, file{path.Join(licenses, name), 0o444, data})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, info, err
}
