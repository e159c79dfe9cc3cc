package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Batch is a set of files that are written together. Their temporary files exist before the first of them changes,
// so that neither a full disk nor a refusal leaves a part of the set. The zero value is an empty batch.
//
// Each batch ends with Discard, which removes what Commit has not renamed.
type Batch struct {
	staged []staged
	swept  map[place]bool
	// step is called before each change of the file system. It is for tests, which fail or stop there.
	step func(what string) error
}

// staged is a temporary file with the new content of a file.
type staged struct {
	dir   *Dir
	name  string
	temp  string
	check check
}

// place is a directory with files.
type place struct {
	dir  *Dir
	name string
}

// check returns what is wrong with replacing the current content of a file, which is nil if there is no file.
type check func(current []byte) error

// TakenError is the error for a file that exists and must not be overwritten.
type TakenError struct{ Path string }

// Error names the file.
func (e *TakenError) Error() string { return e.Path + ": exists, and is not overwritten" }

// Put replaces a file, or creates it.
func (b *Batch) Put(d *Dir, name string, data []byte) error {
	return b.add(d, name, data, func([]byte) error { return nil })
}

// Create creates a file. One with other content is a [TakenError].
func (b *Batch) Create(d *Dir, name string, data []byte) error {
	return b.add(d, name, data, func(current []byte) error {
		if current == nil || bytes.Equal(current, data) {
			return nil
		}
		return &TakenError{d.Path(name)}
	})
}

// Replace replaces a file whose content is still was.
func (b *Batch) Replace(d *Dir, name string, was, data []byte) error {
	return b.add(d, name, data, func(current []byte) error {
		if current != nil && bytes.Equal(current, was) {
			return nil
		}
		return fmt.Errorf("%s: changed since it was read; nothing is written, run the command again", d.Path(name))
	})
}

// Len returns the number of files that Commit changes. A file that has the content already is not one of them.
func (b *Batch) Len() int { return len(b.staged) }

// add writes the temporary file, unless the file has the content already.
func (b *Batch) add(d *Dir, name string, data []byte, check check) error {
	current, mode, err := d.read(name)
	if err == nil {
		err = check(current)
	}
	if err != nil || current != nil && bytes.Equal(current, data) {
		return err
	}
	if err := b.stage(d, name, data, mode, check); err != nil {
		return fmt.Errorf("writing %s: %w", d.Path(name), reason(err))
	}
	return nil
}

// tempPrefix and tempSuffix are around the random part of the name of a temporary file. It is hidden, and has no
// ending of a manifest.
const tempPrefix, tempSuffix = ".vmrender-", ".tmp"

// stage writes a temporary file with the mode of the file that it replaces, or that of new files.
func (b *Batch) stage(d *Dir, name string, data []byte, mode fs.FileMode, check check) error {
	parent := path.Dir(name)
	if err := b.sweep(place{d, parent}); err != nil {
		return err
	}
	s := staged{d, name, path.Join(parent, tempPrefix+rand.Text()+tempSuffix), check}
	if err := b.at("create"); err != nil {
		return err
	}
	created := mode
	if created == 0 {
		created = 0o644 // without what the umask takes away
	}
	f, err := d.root.OpenFile(s.temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, created)
	if err != nil {
		return err
	}
	if err := errors.Join(b.fill(f, data, mode), f.Close()); err != nil {
		_ = d.root.Remove(s.temp) // hidden, and removed by the next batch
		return err
	}
	b.staged = append(b.staged, s)
	return nil
}

// fill writes the content to the disk.
func (b *Batch) fill(f *os.File, data []byte, mode fs.FileMode) error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"write", func() error { _, err := f.Write(data); return err }},
		{"mode", func() error {
			if mode == 0 {
				return nil
			}
			return f.Chmod(mode)
		}},
		{"sync", f.Sync},
	} {
		if err := b.at(step.what); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return reason(err)
		}
	}
	return nil
}

// sweep creates a directory if needed, and removes temporary files of killed runs from it. If their run is alive,
// its renaming fails, so that it reports an error, and no file is damaged.
func (b *Batch) sweep(p place) error {
	if b.swept[p] {
		return nil
	}
	if err := b.at("directory"); err != nil {
		return err
	}
	if err := p.dir.root.MkdirAll(p.name, 0o755); err != nil {
		return err
	}
	entries, err := fs.ReadDir(p.dir.root.FS(), p.name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		isTemp := strings.HasPrefix(e.Name(), tempPrefix) && strings.HasSuffix(e.Name(), tempSuffix)
		isOwn := func(s staged) bool { return path.Base(s.temp) == e.Name() } // by another Dir of the same directory
		if isTemp && !slices.ContainsFunc(b.staged, isOwn) {
			_ = p.dir.root.Remove(path.Join(p.name, e.Name())) // it is hidden, and harmless if it stays
		}
	}
	if b.swept == nil {
		b.swept = map[place]bool{}
	}
	b.swept[p] = true
	return nil
}

// Commit changes the files. It checks all of them again before it changes the first one.
func (b *Batch) Commit() error {
	for _, s := range b.staged {
		current, _, err := s.dir.read(s.name)
		if err == nil {
			err = s.check(current)
		}
		if err != nil {
			return err
		}
	}
	for len(b.staged) > 0 {
		s := b.staged[0]
		if err := b.rename(s); err != nil {
			return fmt.Errorf("writing %s: %w", s.dir.Path(s.name), reason(err))
		}
		b.staged = b.staged[1:]
	}
	if err := b.at("done"); err != nil {
		return err
	}
	for p := range b.swept {
		p.sync()
	}
	return nil
}

func (b *Batch) rename(s staged) error {
	if err := b.at("rename"); err != nil {
		return err
	}
	return s.dir.root.Rename(s.temp, s.name)
}

// sync writes a directory to the disk, so that the names in it survive a loss of power. Not all systems can do so,
// and the files are complete with either name.
func (p place) sync() {
	if f, err := p.dir.root.Open(p.name); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Discard removes the temporary files that are left. It ignores errors, because such files are hidden, and the next
// batch removes them.
func (b *Batch) Discard() {
	for _, s := range b.staged {
		_ = s.dir.root.Remove(s.temp)
	}
	b.staged = nil
}

func (b *Batch) at(what string) error {
	if b.step == nil {
		return nil
	}
	return b.step(what)
}
