package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCorpusNeedsNoRestart imports the VMs of the corpus, and plans the first sync of the result against them: none is
// migrated, restarted or replaced by it.
func TestCorpusNeedsNoRestart(t *testing.T) {
	const corpus = "../../pkg/adopt/testdata/corpus"
	to := filepath.Join(t.TempDir(), "corpus")
	_, _, report := run("import", corpus, "--output-dir", to,
		"--param", "NAME=from-template", "--param", "CLOUD_USER_PASSWORD=correct-horse")
	require.Contains(t, report, "102 of 108 VMs exact, 6 refused")
	status, stdout, stderr := run("plan", to, "--live", corpus, "--fail-on", "live")
	require.Equal(t, statusOK, status, stderr)
	require.Contains(t, stdout, "102 of 102 VMs: 10 metadata, 1 create, 91 adopted")
}
