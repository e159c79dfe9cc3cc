package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A component whose module is missing cannot be generated, and a module whose name has
// the same prefix is not taken for it.
func TestComponentVersion(t *testing.T) {
	t.Chdir("../..")
	version, err := component{mod: "test/admission/kubevirt/go.mod", module: "kubevirt.io/kubevirt"}.version()
	require.NoError(t, err)
	require.Regexp(t, `^v1\.\d+\.\d+$`, version)
	_, err = component{mod: "go.mod", module: "kubevirt.io/kube"}.version()
	require.EqualError(t, err, "go.mod: no module kubevirt.io/kube")
}
