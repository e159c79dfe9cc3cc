package layers_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/layers"
)

const reviewedPlatform = `source: {repoURL: https://git.example.com/platform.git}
target: {openshift: "4.20", image: registry.example.com/vmrender:1}
layers:
  baseline:
    approve: none
    values: {kubelet: {enabled: true, maxPods: 300}}
`

// token returns the token that a warning names.
func token(t *testing.T, text string) string {
	_, diags := layers.Validate(write(t, text), layers.Options{})
	found := regexp.MustCompile(`after a review, set "(r[0-9a-f]{16})"`).FindStringSubmatch(problems(diags, ""))
	require.NotNil(t, found, problems(diags, ""))
	return found[1]
}

// The token does not depend on how the file is written, and depends on what is rendered.
func TestToken(t *testing.T) {
	text := reviewedPlatform
	first := token(t, text)
	reordered := strings.Replace(text, "enabled: true, maxPods: 300", "maxPods: 300, enabled: true", 1)
	require.NotEqual(t, text, reordered)
	require.Equal(t, first, token(t, reordered))
	require.NotEqual(t, first, token(t, strings.Replace(text, "300", "301", 1)))
	named := strings.NewReplacer("  baseline:", "  other:\n    chart: baseline").Replace(text)
	require.NotEqual(t, first, token(t, named), "a token is for one layer")
}

// Any change of any field of what a layer renders is another rendering.
func TestEveryFieldIsInTheToken(t *testing.T) {
	path := write(t, strings.Replace(reviewedPlatform, "    approve: none\n", "", 1))
	objects, diags := layers.RenderLayer(path, "baseline", layers.Options{})
	require.False(t, diags.HasErrors(), problems(diags, ""))
	trees := func() (out []map[string]any) {
		for _, o := range objects {
			out = append(out, o.Tree())
		}
		return out
	}
	first, n := approval.Rendered("baseline", "default", trees()), len(places(trees()))
	require.Greater(t, n, 10)
	for i := range n {
		changed := trees()
		places(changed)[i]()
		require.NotEqual(t, first, approval.Rendered("baseline", "default", changed))
	}
	require.NotEqual(t, first, approval.Rendered("baseline", "default", trees()[1:]), "an object less")
}

// places returns functions that each change one value, or remove one key.
func places(trees []map[string]any) []func() {
	var out []func()
	var visit func(v any, set func(any))
	visit = func(v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for key := range v {
				out = append(out, func() { delete(v, key) })
				visit(v[key], func(other any) { v[key] = other })
			}
		case []any:
			for i := range v {
				visit(v[i], func(other any) { v[i] = other })
			}
		default:
			out = append(out, func() { set("changed") })
		}
	}
	for _, tree := range trees {
		visit(tree, nil)
	}
	return out
}

// A layer whose approval is not of what it renders is not applied, and takes the values that it agrees on with it.
func TestUnapprovedHoldsBackWhatAgrees(t *testing.T) {
	text := `source: {repoURL: https://git.example.com/platform.git}
target: {openshift: "4.20", image: registry.example.com/vmrender:1}
layers:
  operators: {}
  hyperconverged: {}
  higher-density: {approve: none}
`
	apply := func(text string) string {
		objects, diags := layers.RenderApps(write(t, text), layers.Options{})
		require.False(t, diags.HasErrors(), problems(diags, ""))
		return yaml(t, objects)
	}
	require.Equal(t, 1, strings.Count(apply(text), "automated:"), "operators")
	require.Equal(t, 3, strings.Count(apply(strings.Replace(text, "none", token(t, text), 1)), "automated:"))
	dry := strings.Replace(text, "approve: none", "action: DryRun", 1)
	require.Equal(t, apply(dry), apply(text))
}

// A value that a layer has in common with another one makes its approval stale if it is changed in the cluster,
// although Git leaves it to the charts.
func TestReviewIsOfWhatAgrees(t *testing.T) {
	const platform = "source: {repoURL: https://git.example.com/platform.git}\n" +
		"target: {openshift: %q, image: registry.example.com/vmrender:1}\nlayers:\n  hyperconverged: {ignoreFields: [%s]}\n" +
		"  load-aware: {approve: none, provides: [machineconfiguration.openshift.io]}\n"
	for release, field := range map[string]string{
		"4.20": "spec.liveMigrationConfig", "4.23": "spec.virtualization.liveMigrationConfig",
	} {
		ignored := "/" + strings.ReplaceAll(field, ".", "/") + "/parallelMigrationsPerCluster"
		path := write(t, fmt.Sprintf(platform, release, ignored))
		groups, diags := layers.RenderGroups(path, layers.Options{})
		require.False(t, diags.HasErrors(), problems(diags, ""))
		i := slices.IndexFunc(groups, func(g layers.Group) bool { return g.Layer == "load-aware" })
		review := groups[i].Review
		at := slices.IndexFunc(review.Subjects, func(s approval.Subject) bool { return s.Kind == "HyperConverged" })
		require.GreaterOrEqual(t, at, 0)
		hco := &review.Subjects[at]
		live := func(parallel int) map[string]any {
			var fields any = map[string]any{"parallelMigrationsPerCluster": parallel, "parallelOutboundMigrationsPerNode": 2}
			for _, key := range slices.Backward(strings.Split(field, ".")) {
				fields = map[string]any{key: fields}
			}
			return fields.(map[string]any)
		}
		require.NotEqual(t, hco.State(live(5)), hco.State(live(9)), release)
		require.NotContains(t, hco.Differences(live(5)), field+".parallelMigrationsPerCluster")
		require.Contains(t, hco.Differences(live(9)), field+".parallelMigrationsPerCluster")

		rendered, diags := layers.RenderLayer(path, "hyperconverged", layers.Options{})
		require.False(t, diags.HasErrors(), problems(diags, ""))
		require.NotContains(t, yaml(t, rendered), "parallelMigrationsPerCluster", "a review changes no layer")
	}
}
