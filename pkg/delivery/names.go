package delivery

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
)

// name returns the name set by --name, or one that consists of the fleet's name and the
// path below its root.
func (p *Plan) name(inRepo string) (string, error) {
	if p.options.Name != "" {
		return p.options.Name, nil
	}
	root, err := p.repo.path(p.fleet.Root)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(inRepo))
	if err != nil {
		return "", err
	}
	name := applicationName(p.fleet.Header.Metadata.Name, filepath.ToSlash(rel))
	if !argocd.IsApplicationName(name) {
		return "", fmt.Errorf("%s: makes the name %q, which an Application cannot have; give one with --name: %s",
			inRepo, name, appNameRule)
	}
	return name, nil
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

var notInName = regexp.MustCompile(`[^-a-z0-9.]`)

// normalize implements the function of that name in an ApplicationSet's templates
// (SanitizeName in argo-cd v3.2, applicationset/utils/template_functions.go).
func normalize(name string) string {
	name = notInName.ReplaceAllString(strings.ToLower(name), "-")
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
