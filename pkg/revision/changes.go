package revision

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Changed reports whether the files at and below a path of the work tree, those that they inherit from, and further
// files are others than in HEAD. Only files that a render can read count, and those that Git ignores count as well. The
// content is compared here, because `git status` would run the filters and the monitor that a repository names.
func (r *Repository) Changed(ctx context.Context, head Commit, path string, files ...string) (bool, error) {
	name, err := r.name(path)
	if err != nil {
		return false, err
	}
	single := inherited(name)
	for _, file := range files {
		if name, err := r.name(file); err == nil {
			single = append(single, name)
		}
	}
	c := comparison{root: r.root, below: name, committed: map[string]entry{}}
	if head.Hash != "" {
		entries, err := r.list(ctx, head, "-r", asked(name, single)...)
		if err != nil {
			return false, err
		}
		c.add(entries, single)
	}
	return c.differs(single)
}

// inherited returns the files in the directories above a path that its files inherit from.
func inherited(name string) []string {
	dirs := directories(name)[1:]
	names := []string{fleetFile, "_defaults.yaml", platformFile}
	files := make([]string, 0, len(dirs)*len(names))
	for _, dir := range dirs {
		for _, file := range names {
			files = append(files, path.Join(dir, file))
		}
	}
	return files
}

func asked(name string, single []string) []string {
	if name == "." {
		return nil
	}
	return append([]string{name}, single...)
}

// comparison compares files of a commit with those of the work tree.
type comparison struct {
	root      string // of the work tree
	below     string // the path whose files are compared
	committed map[string]entry
	seen      int // committed files that exist in the work tree
}

func (c *comparison) add(entries []entry, single []string) {
	for _, e := range entries {
		if e.mode != modeSubmodule && (c.isInput(e.name) || slices.Contains(single, e.name)) {
			c.committed[e.name] = e
		}
	}
}

// isInput reports whether a render of the path can read a file as values, or as a part of a layer.
func (c *comparison) isInput(name string) bool {
	if name == c.below {
		return true
	}
	return isBelow(name, c.below) && !isHidden(strings.TrimPrefix(name, c.below+"/")) &&
		slices.Contains([]string{".yaml", ".yml", ".json", ".tpl"}, path.Ext(name))
}

// errDiffers ends a walk at the first difference.
var errDiffers = errors.New("differs")

func (c *comparison) differs(single []string) (bool, error) {
	err := c.walk()
	for _, name := range single {
		if err != nil {
			break
		}
		if !isBelow(name, c.below) {
			err = c.compare(name)
		}
	}
	if errors.Is(err, errDiffers) {
		return true, nil
	}
	return c.seen != len(c.committed), err
}

func (c *comparison) walk() error {
	top := filepath.Join(c.root, filepath.FromSlash(c.below))
	return filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(c.root, file)
		name := filepath.ToSlash(rel)
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == top:
			return nil
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case d.IsDir() && file != top && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !c.isInput(name):
			return nil
		}
		return c.compare(name)
	})
}

// compare returns errDiffers if a file is not as it was committed.
func (c *comparison) compare(name string) error {
	file := filepath.Join(c.root, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // if it was committed, it is not seen
	}
	if err != nil {
		return err
	}
	e, ok := c.committed[name]
	isLink := info.Mode()&fs.ModeSymlink != 0
	if !ok || isLink != (e.mode == modeLink) {
		return errDiffers
	}
	c.seen++
	var data []byte
	if isLink {
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		data = []byte(filepath.ToSlash(target))
	} else if data, err = source.ReadFile(file); err != nil {
		return nil //nolint:nilerr // those who render it report it
	}
	// Git can write files with other line ends than those that are committed.
	if !hasHash(data, e.hash) && !hasHash(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), e.hash) {
		return errDiffers
	}
	return nil
}

// hasHash reports whether content has a hash as an object of Git (gitformat-pack and hash-function-transition, Git
// 2.39).
func hasHash(data []byte, want string) bool {
	h := sha1.New()
	if len(want) == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	h.Write(fmt.Appendf(nil, "blob %d\x00", len(data)))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == want
}
