package delivery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// spread specifies how an ApplicationSet creates many Applications for the directory of
// an [order]. As in the order, paths are from the repository's root.
type spread struct {
	// root is the root of the fleet.
	root string
	// directories get an Application each; none is inside another one.
	directories []string
	// others are the directories next to those, which get none.
	others []string
	// clusters are the labels of the clusters that each directory is deployed to; if
	// empty, the only one is the order's destination.
	clusters map[string]string
	// overlays is a directory with an overlay for each cluster, by the cluster's name;
	// empty if there is none.
	overlays string
	// rolling is the order of syncing; nil syncs all at the same time.
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

// others returns the directories next to the given ones, by their paths in the
// repository. It skips hidden ones, as Argo CD does.
func (p *Plan) others(dirs []string) ([]string, error) {
	var siblings []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Dir(dir))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(filepath.Dir(dir), e.Name())
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(dirs, path) {
				siblings = append(siblings, path)
			}
		}
	}
	slices.Sort(siblings)
	return p.repo.paths(slices.Compact(siblings))
}
