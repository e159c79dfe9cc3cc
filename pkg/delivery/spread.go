package delivery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// spread says how an ApplicationSet makes many Applications of an [order]'s
// directory. Paths are the order's: from the repository's root.
type spread struct {
	// root is the fleet's.
	root string
	// directories get an Application each; none lies in another one.
	directories []string
	// others are the directories beside those, which get none.
	others []string
	// clusters are labels of the clusters that all of it is repeated for; the
	// order's destination is the only one where empty.
	clusters map[string]string
	// overlays is a directory with an overlay for each cluster, by its name; none where empty.
	overlays string
	// rolling is the order of syncing; nil syncs all at once.
	rolling *rolling
}

// spread returns how the directories become Applications.
func (p *Plan) spread(dirs []string, found *findings) spread {
	s := spread{clusters: pairs(p.options.Clusters)}
	s.root = found.text(p.repo.path(p.fleet.Root))
	s.directories = found.list(p.repo.paths(dirs))
	s.others = found.list(p.others(dirs))
	if p.options.ClusterOverlays != "" {
		s.overlays = found.text(p.repo.path(p.options.ClusterOverlays))
	}
	var err error
	s.rolling, err = p.options.steps()
	found.add(err)
	return s
}

// others are the directories next to the given ones, by their paths in the
// repository. Hidden ones are left out, as Argo CD does.
func (p *Plan) others(dirs []string) ([]string, error) {
	var beside []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Dir(dir))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(filepath.Dir(dir), e.Name())
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(dirs, path) {
				beside = append(beside, path)
			}
		}
	}
	slices.Sort(beside)
	return p.repo.paths(slices.Compact(beside))
}
