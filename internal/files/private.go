package files

import (
	"os"
	"path/filepath"
)

// WritePrivate writes a file that only the current user can read, in place, and creates its directory if needed. It is
// for temporary directories, which no other program reads: a run that is killed can leave a part of the file.
func WritePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
