package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// What is left of Argo CD on an object of Flux protects nothing, and approves nothing.
func TestSyncOptionOfFlux(t *testing.T) {
	const wave, prune, options = "vmrender.io/wave", "kustomize.toolkit.fluxcd.io/prune", "argocd.argoproj.io/sync-options"
	for name, test := range map[string]struct {
		annotations manifest.Tree
		want        string
	}{
		"Argo CD":                  {manifest.Tree{options: "Prune=confirm"}, "confirm"},
		"Argo CD, with prune":      {manifest.Tree{options: "Prune=true", prune: "disabled"}, "true"},
		"Flux":                     {manifest.Tree{wave: "0"}, ""},
		"kept by Flux":             {manifest.Tree{wave: "0", prune: "disabled"}, "false"},
		"approved":                 {manifest.Tree{wave: "0", prune: "enabled"}, "true"},
		"kept before":              {manifest.Tree{wave: "0", options: "Prune=false"}, ""},
		"approved after it was":    {manifest.Tree{wave: "0", prune: "enabled", options: "Prune=false"}, "true"},
		"approved before, not now": {manifest.Tree{wave: "0", options: "Prune=true"}, ""},
	} {
		object := manifest.Tree{"metadata": manifest.Tree{"annotations": test.annotations}}
		require.Equal(t, test.want, cluster.SyncOption(object, "Prune"), name)
	}
}

// What the API server fills into a spec that Git has empty is not what Argo CD has applied.
func TestAppliedOfEmptySpec(t *testing.T) {
	object := func(fields string) manifest.Tree {
		return manifest.Decode([]byte(`{"spec": {"upgradeStrategy": "Default", "selector": {"a": "b"}},
			"metadata": {"managedFields": [{"manager": "argocd-controller", "operation": "Apply",
				"fieldsV1": {"f:spec": ` + fields + `}}]}}`))
	}
	for fields, want := range map[string]manifest.Tree{
		`{}`:                                     {},
		`{"f:upgradeStrategy": {}}`:              {"upgradeStrategy": "Default"},
		`{"f:selector": {}}`:                     {"selector": manifest.Tree{"a": "b"}},
		`{"f:selector": {"f:a": {}, "f:b": {}}}`: {"selector": manifest.Tree{"a": "b"}},
	} {
		require.Equal(t, want, cluster.Applied(object(fields))["spec"], fields)
	}
}
