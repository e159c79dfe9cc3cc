// Package archive writes the archives of programs that users download. The same files
// always produce the same bytes.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// File is a file in an archive.
type File struct {
	Data []byte
	Mode fs.FileMode
}

// TarGz returns a compressed tar archive of files, by path, all with the same date.
func TarGz(files map[string]File, date time.Time) ([]byte, error) {
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	w := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(f.Mode), Size: int64(len(f.Data)), ModTime: date}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := compressed.Close()
	return archive.Bytes(), err
}

// Zip returns a zip archive of files, by path, all with the same date.
func Zip(files map[string]File, date time.Time) ([]byte, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date.UTC()}
		header.SetMode(files[name].Mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(files[name].Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// Extract returns the files of a zip or compressed tar archive, by path.
func Extract(data []byte) (map[string]File, error) {
	if bytes.HasPrefix(data, []byte("PK")) { // the start of every zip archive
		return extractZip(data)
	}
	uncompressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	files := map[string]File{}
	for r := tar.NewReader(uncompressed); ; {
		header, err := r.Next()
		if err == io.EOF { //nolint:errorlint // as package tar documents it
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[header.Name] = File{content, header.FileInfo().Mode()}
	}
}

func extractZip(data []byte) (map[string]File, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string]File{}
	for _, f := range r.File {
		content, err := fs.ReadFile(r, f.Name)
		if err != nil {
			return nil, err
		}
		files[f.Name] = File{content, f.Mode()}
	}
	return files, nil
}
