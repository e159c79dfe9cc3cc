package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ReadFiles reads the objects of a file, or of all files *.yaml, *.yml and *.json in a
// directory and below it, in the order of their names. It skips files and directories
// whose names begin with a dot, and follows no symbolic link out of the directory.
//
// All problems are returned, joined by [errors.Join], and then no objects. Each is a
// [ReadError] with its file: a problem of [Read], a file that cannot be read, or an
// object that occurs twice.
func ReadFiles(at string) ([]Object, error) { return Reader{}.ReadFiles(at) }

// ReadFiles reads the objects of a file or directory; see [ReadFiles].
func (o Reader) ReadFiles(at string) ([]Object, error) {
	info, err := os.Stat(at)
	if err != nil {
		return nil, unreadable(at, err)
	}
	dir, names := at, []string(nil)
	if !info.IsDir() {
		dir, names = filepath.Dir(at), []string{filepath.Base(at)}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	if names == nil {
		if names, err = namesBelow(root); err != nil {
			return nil, unreadable(dir, err)
		}
	}
	set := fileSet{reader: o, files: map[ID]string{}}
	for _, name := range names {
		set.readFile(root, name, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return o.result(set.objects, set.errs)
}

// ReadNamed is like [ReadFiles] for a stream with a name for messages, such as "<stdin>".
func ReadNamed(name string, r io.Reader) ([]Object, error) { return Reader{}.ReadNamed(name, r) }

// ReadNamed reads the objects of a stream with a name; see [ReadNamed].
func (o Reader) ReadNamed(name string, r io.Reader) ([]Object, error) {
	set := fileSet{reader: o, files: map[ID]string{}}
	objects, err := o.Read(r)
	set.add(name, objects, err)
	return o.result(set.objects, set.errs)
}

// namesBelow returns the names of the files with objects, sorted.
func namesBelow(root *os.Root) (names []string, err error) {
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// fileSet is the objects of several files, and the file of each.
type fileSet struct {
	reader  Reader
	objects []Object
	files   map[ID]string
	errs    []error
}

func (s *fileSet) readFile(root *os.Root, name, file string) {
	var text []byte
	info, err := root.Stat(name) // opening a pipe would wait for its other end
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		text, err = root.ReadFile(name)
	}
	if err != nil {
		s.errs = append(s.errs, unreadable(file, err))
		return
	}
	objects, err := s.reader.read(text)
	s.add(file, objects, err)
}

// add adds what was read from a file.
func (s *fileSet) add(file string, objects []Object, err error) {
	if err != nil {
		s.errs = append(s.errs, inFile(file, err)...)
	}
	for _, o := range objects {
		first, twice := s.files[o.ID]
		if twice && !strings.HasSuffix(o.Name, "-") { // that is a generateName
			s.errs = append(s.errs, &ReadError{File: file, Problem: fmt.Sprintf("%s occurs twice; remove it here or in %s",
				o.ID, first)})
			continue
		}
		s.files[o.ID] = file
		s.objects = append(s.objects, o)
	}
}

// inFile returns the errors of [Read] with the name of the file.
func inFile(file string, err error) []error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{unreadable(file, err)}
	}
	errs := all.Unwrap()
	for _, err := range errs {
		if at, ok := errors.AsType[*ReadError](err); ok {
			at.File = file
		}
	}
	return errs
}

func unreadable(file string, err error) *ReadError {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &ReadError{File: file, Problem: err.Error()}
}
