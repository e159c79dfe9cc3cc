package layers_test

import (
	"regexp"
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
