package delivery

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/argocd"
)

// name returns the name set by --name, or one that consists of the fleet's name, the
// path below its root, and how the Application differs from the plain one. Two
// different Applications of one fleet never have the same name, because the second one
// would replace the first.
func (p *Plan) name(inRepo string, overlays []string) (string, error) {
	root, err := p.repo.path(p.fleet.Root)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(inRepo))
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	fleet := p.fleet.Header.Metadata.Name
	if name := p.options.Name; name != "" {
		if name == fleet && (rel != "." || len(p.options.Fleet.VMs) > 0) {
			return "", fmt.Errorf("--name %q: the name of the Application for the whole fleet, which would be replaced "+
				"by one for a part of it; use another name", name)
		}
		return name, nil
	}
	directory := applicationName(fleet, rel)
	if other := p.sameName(directory, rel); other != "" {
		return "", fmt.Errorf("%s: makes the Application's name %q, as %s does; give it another one with --name",
			inRepo, directory, path.Join(root, other))
	}
	name := directory + variant(p.differences(overlays))
	if !argocd.IsApplicationName(name) {
		return "", fmt.Errorf("%s: makes the name %q, which an Application cannot have; give one with --name: %s",
			inRepo, name, appNameRule)
	}
	return name, nil
}

// sameName returns another directory of the fleet that has the same name, by its path
// below the fleet's root, or "" if there is none.
func (p *Plan) sameName(name, dir string) string {
	found := ""
	// What cannot be read has no Application, and was reported if it is a part of this one.
	_ = filepath.WalkDir(p.fleet.Root, func(at string, d fs.DirEntry, _ error) error {
		if d == nil || !d.IsDir() { // nil for a root that cannot be read
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") && at != p.fleet.Root {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(p.fleet.Root, at)
		if rel = filepath.ToSlash(rel); err == nil && rel != dir &&
			applicationName(p.fleet.Header.Metadata.Name, rel) == name {
			found = rel
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// applicationName returns the name of the Application for a directory of a fleet, by
// its path below the fleet's root, "." for the root: in lower case, with a dash for
// every character that a name cannot contain. Two directories may have the same name,
// and [argocd.IsApplicationName] may reject it.
func applicationName(fleet, dir string) string {
	if dir == "." {
		return fleet
	}
	return fleet + "-" + normalize(strings.ReplaceAll(dir, "/", "-"))
}

var notInName = lazyregexp.New(`[^-a-z0-9.]`)

// normalize implements the function of that name in an ApplicationSet's templates
// (SanitizeName in argo-cd v3.2, applicationset/utils/template_functions.go).
func normalize(name string) string {
	name = notInName().ReplaceAllString(strings.ToLower(name), "-")
	return strings.Trim(name[:min(len(name), 253)], "-.")
}

// checkNames checks that each directory's Application has a valid and unique name.
func checkNames(o order, dirs []string) error {
	var problems []error
	of := map[string]string{}
	for _, dir := range dirs {
		name := applicationName(o.name, relative(o.path, dir))
		switch other, taken := of[name]; {
		case taken:
			problems = append(problems, fmt.Errorf("%s: makes the Application's name %q, as %s does; rename one of them",
				dir, name, other))
		case !argocd.IsApplicationName(name):
			problems = append(problems, fmt.Errorf("%s: makes the name %q, which an Application cannot have; "+
				"rename it, or begin the names with another --name: %s", dir, name, appNameRule))
		}
		of[name] = dir
	}
	return errors.Join(problems...)
}

// relative returns a path in the repository relative to a directory above it.
func relative(dir, file string) string {
	if dir == "." {
		return file
	}
	return strings.TrimPrefix(file, path.Clean(dir)+"/")
}
