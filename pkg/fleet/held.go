package fleet

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/rule"
)

// HeldDir returns the directory of the files that hold VMs of the environment, whether or not it exists.
func (f *Fleet) HeldDir() string { return filepath.Join(f.Root, held.Dir, f.Environment) }

// Holds reports whether VMs may be held: by a file, or because the caller is to find out.
func (f *Fleet) Holds() bool { return f.Unheld || len(f.held) > 0 }

// HeldFile returns the file that holds a VM, or nil.
func (f *Fleet) HeldFile(namespace, name string) *held.File { return f.held[namespace+"/"+name] }

// HeldFiles returns the files that hold VMs, by path.
func (f *Fleet) HeldFiles() []*held.File {
	return slices.SortedFunc(maps.Values(f.held), func(a, b *held.File) int { return strings.Compare(a.Path, b.Path) })
}

// readHeld reads the files that hold VMs.
func (f *Fleet) readHeld() {
	if f.Unheld {
		return
	}
	dir := f.HeldDir()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.fail(dir, rule.Unreadable, reason(err).Error())
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case filepath.Ext(e.Name()) != ".yaml":
		case !e.Type().IsRegular():
			f.fail(path, rule.BadPath, "not a regular file")
		default:
			f.addHeld(held.Read(path, f.diags))
		}
	}
}

func (f *Fleet) addHeld(file *held.File) {
	if file == nil {
		return
	}
	if f.held == nil {
		f.held = map[string]*held.File{}
	}
	f.held[file.Namespace+"/"+file.Name] = file
}
