package revision

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// block is the size of which files in memory take a multiple.
const block = 4 << 10

// place is a directory for copies.
type place struct {
	dir  string // empty for that of the system
	room int64  // maximum size of a copy, in bytes
}

// memory is where Linux has a file system in memory (Linux 6.12, Documentation/filesystems/tmpfs.rst). It spares the
// disk thousands of files that live for a second. A copy of 10,000 small files has 40 MiB there.
var memory = place{"/dev/shm", 256 << 20}

// placesOf returns the places for copies, the best one first.
func placesOf(environ []string) []place {
	for _, v := range environ {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok && dir != "" {
			return []place{{dir, math.MaxInt64}}
		}
	}
	return []place{memory, {"", math.MaxInt64}}
}

// fill copies the files to the first place that has room for them.
func (t *Checkout) fill(ctx context.Context, entries []entry) error {
	var err error
	for _, place := range t.repo.places {
		if err = t.fillIn(ctx, place, entries); err == nil || ctx.Err() != nil {
			return err
		}
		err = errors.Join(err, t.Close())
	}
	return err
}

// fillIn creates the directory, and copies the files to it. An empty .git marks it as the root of a repository, above
// which nothing is searched.
func (t *Checkout) fillIn(ctx context.Context, place place, entries []entry) error {
	dir, err := os.MkdirTemp(place.dir, "vmrender-") // only this user can read it
	if err != nil {
		return err
	}
	t.remove = sync.OnceValue(func() error { return os.RemoveAll(dir) })
	if t.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	w := &writer{top: t.dir, room: place.room}
	if _, err := w.in(".git"); err != nil {
		return err
	}
	files, hashes := inOrder(entries)
	if len(files) == 0 {
		return nil
	}
	err = t.repo.git.stream(ctx, hashes, func(stdout io.Reader) error {
		return w.copyAll(ctx, bufio.NewReaderSize(stdout, 128<<10), files)
	}, "cat-file", "--batch", "--buffer")
	return t.repo.incomplete(t.commit, err)
}

// inOrder returns the entries to copy, and their hashes: first all files, then all symbolic links, so that no file is
// written through a link.
func inOrder(entries []entry) (files []entry, hashes []string) {
	files = slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.mode == modeSubmodule })
	slices.SortStableFunc(files, func(a, b entry) int {
		switch isLink := a.mode == modeLink; {
		case isLink == (b.mode == modeLink):
			return 0
		case isLink:
			return 1
		}
		return -1
	})
	for _, e := range files {
		hashes = append(hashes, e.hash)
	}
	return files, hashes
}

// writer writes files into a new directory.
type writer struct {
	top  string
	dir  string // of the last file, relative to top
	data []byte // of the last file; reused
	room int64  // bytes that can still be written
}

// in returns the path of a directory, which it creates. Consecutive files are mostly in the same one.
func (w *writer) in(dir string) (string, error) {
	at := filepath.Join(w.top, filepath.FromSlash(dir))
	if w.dir == dir {
		return at, nil
	}
	w.dir = dir
	return at, os.MkdirAll(at, 0o700)
}

// copyAll copies the files from the output of `git cat-file --batch`.
func (w *writer) copyAll(ctx context.Context, batch *bufio.Reader, files []entry) error {
	for _, e := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		size, err := nextSize(batch)
		if err == nil {
			err = w.copy(e, batch, size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	errMissing = errors.New("an object is missing")
	errNoRoom  = errors.New("too large for a file system in memory")
)

// nextSize reads the line before a file's content: "HASH blob SIZE", or "HASH missing".
func nextSize(batch *bufio.Reader) (size int64, err error) {
	line, err := batch.ReadString('\n')
	if err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	var hash, kind string
	if n, _ := fmt.Sscan(line, &hash, &kind, &size); n != 3 || kind != "blob" {
		return 0, errMissing
	}
	return size, nil
}

// copy copies one file, and the line feed after it. Of a file that is too large for those who read it, only the size is
// copied.
func (w *writer) copy(e entry, batch *bufio.Reader, size int64) error {
	const longestLink = 4 << 10 // PATH_MAX of Linux
	switch {
	case e.mode == modeLink && size > longestLink:
		return fmt.Errorf("%s: the symbolic link has %d bytes; at most %d are accepted", e.name, size, longestLink)
	case size > source.MaxFileSize:
		if _, err := io.CopyN(io.Discard, batch, size+1); err != nil {
			return io.ErrUnexpectedEOF
		}
		return w.file(e.name, nil, size)
	}
	if w.room -= size + block; w.room < 0 {
		return errNoRoom
	}
	w.data = slices.Grow(w.data[:0], int(size)+1)[:size+1]
	if _, err := io.ReadFull(batch, w.data); err != nil {
		return io.ErrUnexpectedEOF
	}
	if e.mode == modeLink {
		return w.link(e.name, string(w.data[:size]))
	}
	return w.file(e.name, w.data[:size], size)
}

// file creates a file, with zeros after its data up to its size, which take no space. There are no symbolic links yet.
func (w *writer) file(name string, data []byte, size int64) error {
	dir, err := w.in(path.Dir(name))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, path.Base(name)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && size > int64(len(data)) {
		err = f.Truncate(size)
	}
	return errors.Join(err, f.Close())
}

// link creates a symbolic link, but not through another one.
func (w *writer) link(name, target string) error {
	root, err := os.OpenRoot(w.top)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	return root.Symlink(target, name)
}
