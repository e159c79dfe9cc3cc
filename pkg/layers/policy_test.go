package layers_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/pkg/layers"
)

// The PolicyAutomation that the page about patches shows has all the fields of one that is rendered, of which its
// definition requires most.
func TestPatchPage(t *testing.T) {
	file := write(t, "layers:\n  baseline:\n    automation: {template: patch, secret: aap}\n"+
		"    values: {kubelet: {enabled: true}}\n")
	objects, diags := layers.Render(file, layers.Options{Policies: true})
	require.NotContains(t, problems(diags, ""), "automation")
	rendered := specOf(t, yaml(t, objects))
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "patch.md"))
	require.NoError(t, err)
	var shown map[string]any
	docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		if spec := specOf(t, b.Text); spec != nil {
			shown = spec
		}
		return b.Text
	})
	require.Equal(t, fields(rendered), fields(shown))
	require.Equal(t, fields(rendered["automationDef"].(map[string]any)), fields(shown["automationDef"].(map[string]any)))
}

func fields(of map[string]any) []string { return slices.Sorted(maps.Keys(of)) }

// specOf returns the spec of the PolicyAutomation in a text, or nil.
func specOf(t *testing.T, text string) map[string]any {
	t.Helper()
	for document := range strings.SplitSeq(text, "\n---\n") {
		var object struct {
			Kind string
			Spec map[string]any
		}
		if sigsyaml.Unmarshal([]byte(document), &object) == nil && object.Kind == "PolicyAutomation" {
			return object.Spec
		}
	}
	return nil
}
