package revision_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/revision"
)

// large returns a repository with a fleet of 10,000 files, packed as after a clone.
func large(b *testing.B) (repo, *revision.Repository, revision.Commit) {
	b.Helper()
	r := newRepo(b)
	all := map[string]string{"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: large}\n"}
	for i := range 10_000 {
		all[fmt.Sprintf("sites/%02d/vm-%05d.yaml", i%50, i)] = fmt.Sprintf(
			"vms:\n  vm-%05d: {os: rhel9, flavor: small, namespace: ns, labels: {number: n%d}}\n", i, i)
	}
	r.commit(all)
	r.git("repack", "-a", "-d", "--quiet")
	opened, err := revision.Open(b.Context(), r.dir, environ)
	require.NoError(b, err)
	c, _, err := opened.Resolve(b.Context(), "HEAD", revision.Worktree)
	require.NoError(b, err)
	return r, opened, c
}

// BenchmarkCheckout copies 10,000 files and removes them.
func BenchmarkCheckout(b *testing.B) {
	r, opened, c := large(b)
	for b.Loop() {
		copied, err := opened.Checkout(b.Context(), c, r.dir)
		require.NoError(b, err)
		require.NoError(b, copied.Close())
	}
}

// BenchmarkChanged compares 10,000 files with those of a commit.
func BenchmarkChanged(b *testing.B) {
	r, opened, c := large(b)
	for b.Loop() {
		changed, err := opened.Changed(b.Context(), c, r.dir)
		require.NoError(b, err)
		require.False(b, changed)
	}
}
