package delivery

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// applicationSet returns the ApplicationSet that creates one Application per directory
// and, if there are clusters, per cluster.
//
// The objects of a deleted Application are not deleted: renaming a directory must not
// delete the VMs in it.
func (o order) applicationSet(s spread) argocd.ApplicationSet {
	meta := argocd.ObjectMeta{Name: o.name, Namespace: o.namespace, Labels: o.labels()}
	return argocd.NewApplicationSet(meta, argocd.ApplicationSetSpec{
		GoTemplate:        true,
		GoTemplateOptions: []string{"missingkey=error"},
		Generators:        []argocd.ApplicationSetGenerator{s.generator(o)},
		Strategy:          s.rolling.strategy(),
		SyncPolicy:        &argocd.ApplicationSetSyncPolicy{PreserveResourcesOnDeletion: true},
		Template:          s.template(o),
	})
}

func (s spread) generator(o order) argocd.ApplicationSetGenerator {
	git := argocd.ApplicationSetGenerator{
		Git: &argocd.GitGenerator{RepoURL: o.repoURL, Revision: o.revision, Directories: s.patterns()},
	}
	if len(s.clusters) == 0 {
		return git
	}
	clusters := argocd.ApplicationSetGenerator{
		Clusters: &argocd.ClusterGenerator{Selector: argocd.LabelSelector{MatchLabels: s.clusters}},
	}
	return argocd.ApplicationSetGenerator{
		Matrix: &argocd.MatrixGenerator{Generators: []argocd.ApplicationSetGenerator{git, clusters}},
	}
}

// patterns returns patterns that also match directories that do not exist yet, so that
// a new directory gets its Application without a new ApplicationSet.
func (s spread) patterns() []argocd.GitDirectoryGeneratorItem {
	taken := make([]string, len(s.directories))
	for i, dir := range s.directories {
		taken[i] = path.Join(literalPattern(path.Dir(dir)), "*")
	}
	slices.Sort(taken)
	items := make([]argocd.GitDirectoryGeneratorItem, 0, len(taken)+len(s.others))
	for _, pattern := range slices.Compact(taken) {
		items = append(items, argocd.GitDirectoryGeneratorItem{Path: pattern})
	}
	for _, dir := range s.others {
		items = append(items, argocd.GitDirectoryGeneratorItem{Path: literalPattern(dir), Exclude: true})
	}
	return items
}

// literalPattern returns the pattern of Go's package path that matches only dir.
func literalPattern(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func (s spread) template(o order) argocd.ApplicationSetTemplate {
	spec := o.literal().spec()
	spec.Source.Path = "{{ .path.path }}"
	name, own := o.name+"-{{ "+below(o.path)+` | join "-" | normalize }}`, o.labels()
	own[labels.Directory] = fmt.Sprintf("{{ index .path.segments %d | normalize }}", len(segments(o.path)))
	if len(s.clusters) > 0 {
		name += "-{{ .nameNormalized }}"
		spec.Destination.Server, spec.Destination.Name = "", "{{ .name }}"
	}
	paths := s.generatePaths(o)
	if s.overlays != "" {
		overlay := "/" + escape(s.overlays) + "/{{ .nameNormalized }}.yaml"
		paths += ";" + overlay
		spec.Source.Plugin.Parameters = withOverlay(spec.Source.Plugin.Parameters, overlay)
	}
	if r := s.rolling; r != nil && r.clusterLabel != "" {
		own[r.clusterLabel] = fmt.Sprintf("{{ index .metadata.labels %q }}", r.clusterLabel)
	}
	return argocd.ApplicationSetTemplate{
		Metadata: argocd.ObjectMeta{Name: name, Labels: own, Annotations: o.literal().annotations(paths)},
		Spec:     spec,
	}
}

// withOverlay appends an overlay to the existing ones.
func withOverlay(
	parameters []argocd.ApplicationSourcePluginParameter, file string,
) []argocd.ApplicationSourcePluginParameter {
	at := slices.IndexFunc(parameters, func(p argocd.ApplicationSourcePluginParameter) bool { return p.Name == "overlay" })
	if at < 0 {
		return append(parameters, argocd.ApplicationSourcePluginParameter{Name: "overlay", Array: []string{file}})
	}
	parameters[at].Array = append(parameters[at].Array, file)
	return parameters
}

// below returns a template expression for the names in an Application's path below a
// directory.
func below(dir string) string {
	if n := len(segments(dir)); n > 0 {
		return fmt.Sprintf("slice .path.segments %d", n)
	}
	return ".path.segments"
}

// generatePaths returns the annotation as a template: the directory, the files that all
// share, and the defaults of the directories between it and the fleet's root.
func (s spread) generatePaths(o order) string {
	text := escape(generatePaths(slices.DeleteFunc(slices.Clone(o.inputs), s.isBetween)))
	if s.depth() < 2 {
		return text
	}
	return text + fmt.Sprintf(`{{ $dir := %q }}{{ range initial (%s) }}`+
		`{{ $dir = printf "%%s/%%s" $dir . }};{{ $dir }}/_defaults.yaml{{ end }}`,
		strings.TrimSuffix("/"+strings.Join(segments(s.root), "/"), "/"), below(s.root))
}

// isBetween reports whether a file contains the defaults of a directory that is above
// an Application's own and below the fleet's root.
func (s spread) isBetween(file string) bool {
	dir, name := path.Split(file)
	return name == "_defaults.yaml" && len(segments(dir)) > len(segments(s.root)) &&
		slices.ContainsFunc(s.directories, func(d string) bool { return strings.HasPrefix(d, dir) })
}

// depth returns how many levels the deepest directory with an Application is below the
// fleet's root.
func (s spread) depth() int {
	deepest := 0
	for _, dir := range s.directories {
		deepest = max(deepest, len(segments(dir))-len(segments(s.root)))
	}
	return deepest
}

// literal returns the order with user input escaped, so that it is not evaluated as a
// template.
func (o order) literal() order {
	o.project, o.repoURL, o.revision = escape(o.project), escape(o.repoURL), escape(o.revision)
	o.destination.Server, o.destination.Name = escape(o.destination.Server), escape(o.destination.Name)
	o.planURL = escape(o.planURL)
	parameters := make([]argocd.ApplicationSourcePluginParameter, len(o.parameters))
	for i, p := range o.parameters {
		parameters[i] = literal(p)
	}
	o.parameters = parameters
	return o
}

// literal returns a copy of a parameter with its values escaped.
func literal(p argocd.ApplicationSourcePluginParameter) argocd.ApplicationSourcePluginParameter {
	if p.String != nil {
		text := escape(*p.String)
		p.String = &text
	}
	p.Array = slices.Clone(p.Array)
	for i := range p.Array {
		p.Array[i] = escape(p.Array[i])
	}
	var escaped map[string]string
	for key, value := range p.Map {
		if escaped == nil {
			escaped = map[string]string{}
		}
		escaped[escape(key)] = escape(value)
	}
	p.Map = escaped
	return p
}

// escape returns a template that prints text as it is.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }
