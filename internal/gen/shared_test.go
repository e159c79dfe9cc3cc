package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiledOnce lists the modules that compile the same minor version of Kubernetes. Go compiles a package once for all
// of them if the package and everything that it imports have the same versions.
var compiledOnce = [][]string{
	{".", "test/e2e", "test/e2e/kubectl", "test/e2e/controlplane"},
	{"test/admission/kubevirt", "test/impact", "test/argocd"},
	{"test/admission", "test/admission/cdi"},
}

// differing lists the modules whose versions may differ within a group, with the reason.
var differing = map[string]string{
	"k8s.io/apiextensions-apiserver":        "the program needs no newer one",
	"github.com/cyphar/filepath-securejoin": "Argo CD calls a function that v0.7 does not have",
	"k8s.io/kube-aggregator":                "KubeVirt is built with v0.28",
	"sigs.k8s.io/controller-runtime":        "Argo CD and KubeVirt are built with different ones",
}

// Kubernetes is compiled three times in a run of all tests, not nine times.
func TestModulesShareVersions(t *testing.T) {
	for _, group := range compiledOnce {
		versions := map[string]map[string]string{} // of a module, by the directory of the go.mod that requires it
		for _, dir := range group {
			for module, version := range required(t, dir) {
				if versions[module] == nil {
					versions[module] = map[string]string{}
				}
				versions[module][dir] = version
			}
		}
		for module, in := range versions {
			if _, ok := differing[module]; !ok {
				require.Len(t, slices.Compact(slices.Sorted(maps.Values(in))), 1,
					"%s has several versions, so all that imports it is compiled several times: %v", module, in)
			}
		}
	}
}

// required returns the versions that the go.mod file in a directory requires, or replaces others with, by module.
func required(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../" + dir + "/go.mod")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^(?:\t|require |replace )(\S+)(?: => \S+)? (v\S+)(?: // .*)?$`)
	out := map[string]string{}
	for _, found := range line.FindAllStringSubmatch(string(text), -1) {
		out[found[1]] = found[2]
	}
	require.NotEmpty(t, out)
	return out
}
