package argocd

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Spread says how an ApplicationSet makes many Applications of an [Order]'s
// directory. Paths are the order's: from the repository's root.
type Spread struct {
	// Root is the fleet's.
	Root string
	// Directories get an Application each; none lies in another one.
	Directories []string
	// Others are the directories beside those, which get none.
	Others []string
	// Clusters are labels of the clusters that all of it is repeated for; the
	// order's destination is the only one where empty.
	Clusters map[string]string
	// Overlays is a directory with an overlay for each cluster, by its name; none where empty.
	Overlays string
	// Rolling is the order of syncing; nil syncs all at once.
	Rolling *Rolling
}

// Rolling syncs step by step: the Applications of one are Healthy before those
// of the next are synced. Whatever is in no step comes last.
type Rolling struct {
	// ClusterLabel is the label of clusters whose values are the Steps; where
	// empty the steps are directories right beneath the order's.
	ClusterLabel string
	Steps        []string
	// MaxUpdate is how many of a step are synced at a time: an int, or a string
	// with a percentage; nil is all.
	MaxUpdate any
}

// AppSet is the ApplicationSet that makes one Application of each directory
// and, where there are clusters, of each cluster.
//
// With an Application its objects are not deleted: whoever renames a directory
// does not want to lose the machines in it.
func (o Order) AppSet(s Spread) AppSet {
	meta := ObjectMeta{Name: o.Name, Namespace: o.Namespace, Labels: o.labels()}
	return NewAppSet(meta, ApplicationSetSpec{
		GoTemplate:        true,
		GoTemplateOptions: []string{"missingkey=error"},
		Generators:        []ApplicationSetGenerator{s.generator(o)},
		Strategy:          s.Rolling.strategy(),
		SyncPolicy:        &ApplicationSetSyncPolicy{PreserveResourcesOnDeletion: true},
		Template:          s.template(o),
	})
}

func (s Spread) generator(o Order) ApplicationSetGenerator {
	git := ApplicationSetGenerator{Git: &GitGenerator{RepoURL: o.RepoURL, Revision: o.Revision, Directories: s.patterns()}}
	if len(s.Clusters) == 0 {
		return git
	}
	clusters := ApplicationSetGenerator{Clusters: &ClusterGenerator{Selector: LabelSelector{MatchLabels: s.Clusters}}}
	return ApplicationSetGenerator{Matrix: &MatrixGenerator{Generators: []ApplicationSetGenerator{git, clusters}}}
}

// patterns match all directories beside those that there are now, so that a new
// one gets its Application without a new ApplicationSet.
func (s Spread) patterns() []GitDirectoryGeneratorItem {
	taken := make([]string, len(s.Directories))
	for i, dir := range s.Directories {
		taken[i] = path.Join(literalPattern(path.Dir(dir)), "*")
	}
	slices.Sort(taken)
	items := make([]GitDirectoryGeneratorItem, 0, len(taken)+len(s.Others))
	for _, pattern := range slices.Compact(taken) {
		items = append(items, GitDirectoryGeneratorItem{Path: pattern})
	}
	for _, dir := range s.Others {
		items = append(items, GitDirectoryGeneratorItem{Path: literalPattern(dir), Exclude: true})
	}
	return items
}

// literalPattern is the pattern of Go's package path that matches dir alone.
func literalPattern(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func (s Spread) template(o Order) ApplicationSetTemplate {
	spec := o.literal().spec()
	spec.Source.Path = "{{ .path.path }}"
	name, labels := o.Name+"-{{ "+below(o.Path)+` | join "-" | normalize }}`, o.labels()
	labels[directoryLabel] = fmt.Sprintf("{{ index .path.segments %d | normalize }}", len(segments(o.Path)))
	if len(s.Clusters) > 0 {
		name += "-{{ .nameNormalized }}"
		spec.Destination.Server, spec.Destination.Name = "", "{{ .name }}"
	}
	paths := s.generatePaths(o)
	if s.Overlays != "" {
		overlay := "/" + escape(s.Overlays) + "/{{ .nameNormalized }}.yaml"
		paths += ";" + overlay
		spec.Source.Plugin.Parameters = withOverlay(spec.Source.Plugin.Parameters, overlay)
	}
	if r := s.Rolling; r != nil && r.ClusterLabel != "" {
		labels[r.ClusterLabel] = fmt.Sprintf("{{ index .metadata.labels %q }}", r.ClusterLabel)
	}
	return ApplicationSetTemplate{Metadata: ObjectMeta{Name: name, Labels: labels, Annotations: o.annotations(paths)}, Spec: spec}
}

// withOverlay puts one more overlay behind those that there are.
func withOverlay(parameters []ApplicationSourcePluginParameter, file string) []ApplicationSourcePluginParameter {
	at := slices.IndexFunc(parameters, func(p ApplicationSourcePluginParameter) bool { return p.Name == "overlay" })
	if at < 0 {
		return append(parameters, ApplicationSourcePluginParameter{Name: "overlay", Array: []string{file}})
	}
	parameters[at].Array = append(parameters[at].Array, file)
	return parameters
}

// below is an expression for the names in an Application's path beneath a directory.
func below(dir string) string {
	if n := len(segments(dir)); n > 0 {
		return fmt.Sprintf("slice .path.segments %d", n)
	}
	return ".path.segments"
}

// generatePaths is the annotation as a template: the directory, the files that
// all share, and the defaults of the directories between it and the fleet's root.
func (s Spread) generatePaths(o Order) string {
	text := escape(generatePaths(slices.DeleteFunc(slices.Clone(o.Inputs), s.isBetween)))
	if s.depth() < 2 {
		return text
	}
	return text + fmt.Sprintf(`{{ $dir := %q }}{{ range initial (%s) }}{{ $dir = printf "%%s/%%s" $dir . }};{{ $dir }}/_defaults.yaml{{ end }}`,
		strings.TrimSuffix("/"+strings.Join(segments(s.Root), "/"), "/"), below(s.Root))
}

// isBetween tells the defaults of the directories above an Application's own
// and beneath the fleet's root.
func (s Spread) isBetween(file string) bool {
	dir, name := path.Split(file)
	return name == "_defaults.yaml" && len(segments(dir)) > len(segments(s.Root)) &&
		slices.ContainsFunc(s.Directories, func(d string) bool { return strings.HasPrefix(d, dir) })
}

// depth is how many directories lie between the fleet's root and the deepest
// Application's, its own included.
func (s Spread) depth() int {
	deepest := 0
	for _, dir := range s.Directories {
		deepest = max(deepest, len(segments(dir))-len(segments(s.Root)))
	}
	return deepest
}

// strategy lists the steps and, last, whatever is in none of them, which would
// never be synced otherwise.
func (r *Rolling) strategy() *ApplicationSetStrategy {
	if r == nil {
		return nil
	}
	key := r.ClusterLabel
	if key == "" {
		key = directoryLabel
	}
	var steps []ApplicationSetRolloutStep
	step := func(operator string, values ...string) {
		match := ApplicationMatchExpression{Key: key, Operator: operator, Values: values}
		steps = append(steps, ApplicationSetRolloutStep{MatchExpressions: []ApplicationMatchExpression{match}, MaxUpdate: r.MaxUpdate})
	}
	for _, value := range r.values() {
		step("In", value)
	}
	step("NotIn", r.values()...)
	return &ApplicationSetStrategy{Type: "RollingSync", RollingSync: &ApplicationSetRolloutStrategy{Steps: steps}}
}

// values are the steps as the Applications' labels have them.
func (r *Rolling) values() []string {
	if r.ClusterLabel != "" {
		return r.Steps
	}
	var values []string
	for _, step := range r.Steps {
		values = append(values, normalize(step))
	}
	return values
}

// literal is the order with what a person wrote kept from being read as a template.
func (o Order) literal() Order {
	o.Project, o.RepoURL, o.Revision = escape(o.Project), escape(o.RepoURL), escape(o.Revision)
	o.Destination.Server, o.Destination.Name = escape(o.Destination.Server), escape(o.Destination.Name)
	parameters := make([]ApplicationSourcePluginParameter, len(o.Parameters))
	for i, p := range o.Parameters {
		parameters[i] = p.literal()
	}
	o.Parameters = parameters
	return o
}

// literal escapes the values, and copies what it is given.
func (p ApplicationSourcePluginParameter) literal() ApplicationSourcePluginParameter {
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

// escape writes text so that a template prints it as it is.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }
