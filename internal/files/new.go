package files

import (
	"bytes"
	"fmt"
	"strings"
)

// File is a file to write.
type File struct {
	Name string // path from the directory, with slashes
	Data []byte
}

// WriteNew writes files to a directory, and creates it if needed. If one of them exists with
// other content, it writes none. A run that was stopped can be repeated: the last file is
// there only if all are.
func WriteNew(dir string, all []File) error {
	d, err := Create(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if found, err := different(d, all); err != nil {
		return err
	} else if len(found) > 0 {
		return ExistError(found)
	}
	var b Batch
	defer b.Discard()
	for _, f := range all {
		if err := b.Create(d, f.Name, f.Data); err != nil {
			return err
		}
	}
	return b.Commit()
}

// ExistError is the paths because of which nothing was written.
type ExistError []string

func (e ExistError) Error() string {
	return fmt.Sprintf("nothing written, because these exist: %s", strings.Join(e, ", "))
}

// different returns the paths of the files that exist with other content.
func different(d *Dir, all []File) ([]string, error) {
	var found []string
	for _, f := range all {
		current, err := d.Read(f.Name)
		if err != nil {
			return nil, err
		}
		if current != nil && !bytes.Equal(current, f.Data) {
			found = append(found, d.Path(f.Name))
		}
	}
	return found, nil
}
