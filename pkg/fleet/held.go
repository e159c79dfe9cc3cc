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
	"github.com/vmrender/vmrender/pkg/values"
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
	if f.Unheld || f.Environment != "" && values.NameProblem(f.Environment) != "" { // which was reported
		return
	}
	dir := f.HeldDir()
	if info, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return
	} else if err == nil && !info.IsDir() || isLink(filepath.Join(f.Root, held.Dir)) {
		f.fail(dir, rule.BadPath, "not a directory")
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
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

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
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
