package delivery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// repository is the clone of a Git repository that contains a fleet.
type repository struct {
	root string // absolute, without symbolic links
}

// findRepository searches dir and the directories above it for the repository.
func findRepository(dir string) (repository, error) {
	at, err := physicalPath(dir)
	if err != nil {
		return repository{}, err
	}
	for ; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return repository{at}, nil
		}
		if filepath.Dir(at) == at {
			return repository{}, fmt.Errorf("%s: not in a clone of a Git repository (no .git here or above), "+
				"from which Argo CD could read it", dir)
		}
	}
}

func physicalPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// path returns the path of a file or directory in the repository, with slashes. For a
// file that does not exist, it depends on the directory. A symbolic link has its own
// path, not that of its target.
func (r repository) path(file string) (string, error) {
	dir, err := physicalPath(filepath.Dir(file))
	if base := filepath.Base(file); err == nil && base != "." && base != ".." {
		dir = filepath.Join(dir, base)
	} else if err == nil {
		dir, err = physicalPath(file)
	}
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(r.root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: not in the repository of the fleet, %s; Argo CD reads only that", file, r.root)
	}
	return filepath.ToSlash(rel), nil
}

// paths returns the paths of files or directories in the repository.
func (r repository) paths(files []string) ([]string, error) {
	paths := make([]string, len(files))
	for i, file := range files {
		var err error
		if paths[i], err = r.path(file); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// origin returns the URL of the remote "origin" in .git/config.
func (r repository) origin() (string, error) {
	config, err := os.ReadFile(filepath.Join(r.commonDir(), "config"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("reading the repository's configuration: %w", err)
	}
	url := originURL(string(config))
	if url == "" {
		return "", fmt.Errorf(`%s: the repository has no remote "origin"; give its URL with --repo`, r.root)
	}
	return url, nil
}

// commonDir returns the directory that all working trees of a repository share. In a
// linked tree and in a submodule, .git is a file that names it (gitrepository-layout of
// Git).
func (r repository) commonDir() string {
	dir := filepath.Join(r.root, ".git")
	if to, ok := strings.CutPrefix(firstLine(dir), "gitdir: "); ok {
		dir = onto(r.root, to)
	}
	if to := firstLine(filepath.Join(dir, "commondir")); to != "" {
		dir = onto(dir, to)
	}
	return dir
}

// onto returns a path relative to dir as a path to open.
func onto(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// firstLine returns the first line of a file, or "" if there is no such file.
func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

var (
	sectionLine = lazyregexp.New(`^\s*\[([^\]]*)\]`)
	urlLine     = lazyregexp.New(`(?i)^\s*url\s*=\s*"?([^"#;\s]+)`)
)

// originURL returns the URL of the remote "origin" in Git's configuration.
func originURL(config string) string {
	section, found := "", ""
	for line := range strings.Lines(config) {
		if m := sectionLine().FindStringSubmatch(line); m != nil {
			section = m[1]
		} else if m := urlLine().FindStringSubmatch(line); m != nil && section == `remote "origin"` {
			found = m[1]
		}
	}
	return found
}
