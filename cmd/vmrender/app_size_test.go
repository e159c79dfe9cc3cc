package main

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/sizing"
)

// The manifests of a fleet are as small in Redis as `vmrender app --size` computes.
func TestManifestsCompress(t *testing.T) {
	status, stdout, stderr := run("template", "-o", "json", "../../examples/fleet")
	require.Equal(t, statusOK, status, stderr)
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	_, err := w.Write([]byte(stdout))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Greater(t, len(stdout), sizing.Compressed*small.Len())
}
