package delivery

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/sizing"
)

// Contents is the size of what is rendered for the VMs of a file.
type Contents struct {
	// File is empty for the Jobs of a namespace.
	File string
	// VMs is the number of VMs, and Objects that of all objects.
	VMs, Objects int
	// Bytes is the size of the objects as compact JSON.
	Bytes int64
}

// Size returns the size of the fleet as the Applications of the options deliver it. The contents are those of
// all VMs of the [Plan].
func (p *Plan) Size(contents []Contents) (sizing.Fleet, error) {
	f := sizing.Fleet{Clusters: p.options.Size}
	dirs, err := []string{p.dir}, error(nil)
	if p.options.AppSet {
		dirs, err = p.directories()
	}
	if err != nil {
		return f, err
	}
	copies, overlays, err := p.copies()
	if err != nil {
		return f, err
	}
	for _, c := range contents {
		f.VMs += c.VMs * copies
		f.Objects += c.Objects * copies
		f.Bytes += c.Bytes * int64(copies)
	}
	for _, dir := range dirs {
		f.Add(application(dir, contents, overlays), copies*overlays)
	}
	if p.repo, err = findRepository(p.dir); err != nil {
		return f, err
	}
	f.Files, f.Pages, err = p.repo.size()
	return f, err
}

// copies returns the number of clusters that each VM of the plan is deployed to, and the number of clusters
// whose VMs the plan contains. One of them is 1.
func (p *Plan) copies() (copies, overlays int, err error) {
	if len(p.options.Clusters) == 0 {
		return 1, 1, nil
	}
	if p.options.ClusterOverlays == "" {
		return p.options.Size, 1, nil
	}
	files, err := OverlaysIn("--cluster-overlays", p.options.ClusterOverlays, "cluster")
	if err == nil && len(files) != p.options.Size {
		err = fmt.Errorf("--size %d; expected %d, the number of overlays in --cluster-overlays %q",
			p.options.Size, len(files), p.options.ClusterOverlays)
	}
	return 1, len(files), err
}

// application returns the size of the Application for a directory. overlays is the number of clusters whose VMs are in
// the contents.
func application(dir string, contents []Contents, overlays int) (a sizing.Application) {
	for _, c := range contents {
		if c.File == "" || fleet.Within(dir, filepath.Dir(c.File)) {
			a.Objects += c.Objects
			a.Bytes += c.Bytes
		}
	}
	a.Objects /= overlays
	a.Bytes /= int64(overlays)
	return a
}

// page is the unit in which a file system in memory stores a file, in bytes.
const page = 4096

// size returns the number of files in the repository without .git, and the bytes of the pages that they take.
func (r repository) size() (files int, pages int64, err error) {
	err = filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		pages += (info.Size() + page - 1) / page * page
		return nil
	})
	return files, pages, err
}
