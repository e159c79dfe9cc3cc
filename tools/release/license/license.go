// Package license collects the licenses of everything that is linked into programs.
package license

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/tools/release/program"
)

// texts matches the names of files that a distributor must pass on.
var texts = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-.].*)?$`)

// module is a Go module, as "go list -json" prints it.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// Name returns the directory of a module's licenses, such as "golang.org/x/text@v0.33.0".
func Name(path, version string) string {
	if version == "" {
		return path
	}
	return path + "@" + version
}

// Collect returns the licenses of the commands' modules and of Go, by path: the name of
// the module, then the path in the module. For each module, it returns the licenses in
// its root and in the directories above the linked packages. It returns an error if a
// module has none.
func Collect(ctx context.Context, root string, p program.Platform, commands string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := ofGo(ctx, root, p, files); err != nil {
		return nil, err
	}
	output, err := run(ctx, root, p, "list", "-deps", "-json=Dir,Module", commands)
	if err != nil {
		return nil, err
	}
	modules := map[string]bool{} // whether a license was found, by name
	for decoder := json.NewDecoder(strings.NewReader(output)); ; {
		var linked struct {
			Dir    string
			Module *module
		}
		if err := decoder.Decode(&linked); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of packages: %w", err)
		}
		if linked.Module == nil {
			continue // of Go
		}
		name, found, err := ofPackage(linked.Module, linked.Dir, files)
		if err != nil {
			return nil, err
		}
		modules[name] = modules[name] || found
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if !modules[name] {
			return nil, fmt.Errorf("module %s has no license in its root, nor next to the packages that are linked", name)
		}
	}
	return files, nil
}

// ofPackage adds the licenses from a package's directory up to the root of its
// module. It returns the module's name and whether there are any licenses.
func ofPackage(m *module, dir string, files map[string][]byte) (name string, found bool, err error) {
	if m.Replace != nil {
		m = m.Replace
	}
	name = Name(m.Path, m.Version)
	for ; strings.HasPrefix(dir, m.Dir); dir = filepath.Dir(dir) {
		within, err := filepath.Rel(m.Dir, dir)
		if err != nil {
			return name, found, err
		}
		added, err := addAll(dir, path.Join(name, filepath.ToSlash(within)), files)
		if err != nil {
			return name, found, err
		}
		found = found || added
	}
	return name, found, nil
}

// ofGo adds the licenses of Go's own packages.
func ofGo(ctx context.Context, root string, p program.Platform, files map[string][]byte) error {
	output, err := run(ctx, root, p, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(output), "\n")
	found, err := addAll(goroot, Name("go", strings.TrimPrefix(version, "go")), files)
	if err == nil && !found {
		err = fmt.Errorf("%s has no license; use a Go that was installed with its LICENSE", goroot)
	}
	return err
}

// addAll adds the licenses in a directory under a name, and reports whether
// there are any.
func addAll(dir, name string, files map[string][]byte) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	found := false
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !texts.MatchString(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return false, err
		}
		files[path.Join(name, entry.Name())] = data
		found = true
	}
	return found, nil
}

func run(ctx context.Context, root string, p program.Platform, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env, command.Stderr = root, p.Environment(), os.Stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("running go %s: %w", args[0], err)
	}
	return string(output), nil
}
