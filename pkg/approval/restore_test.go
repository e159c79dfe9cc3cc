package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/approval"
)

// A token restores one VM from one snapshot, once.
func TestRestoreToken(t *testing.T) {
	token := approval.RestoreToken(1, "prod", "db", "before")
	n, err := approval.RestoreNumber(token, "prod", "db", "before")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, token, approval.RestoreToken(1, "prod", "db", "before"), "the same each time")
	seen := map[string]bool{token: true}
	for _, other := range []string{
		approval.RestoreToken(2, "prod", "db", "before"), approval.RestoreToken(1, "test", "db", "before"),
		approval.RestoreToken(1, "prod", "db2", "before"), approval.RestoreToken(1, "prod", "db", "after"),
		approval.RestoreToken(1, "pro", "ddb", "before"),
	} {
		require.False(t, seen[other])
		seen[other] = true
	}
	for _, wrong := range []string{
		"", "1", "0-" + token[2:], "-1-" + token[2:], "01" + token[1:], token + "0", "2" + token[1:],
		approval.RestoreToken(1, "prod", "web", "before"),
	} {
		_, err := approval.RestoreNumber(wrong, "prod", "db", "before")
		require.ErrorContains(t, err, `not a token of the VM "prod/db" and the snapshot "before"`, wrong)
	}
}

func TestRestore(t *testing.T) {
	for _, text := range []string{"before", "before@1-aabbccdd", ""} {
		require.Equal(t, text, approval.ParseRestore(text).String())
	}
	r := approval.ParseRestore("before@1-aabbccdd")
	require.Equal(t, approval.Restore{Snapshot: "before", Token: "1-aabbccdd"}, r)
	require.Equal(t, "db-restore-1-aabbccdd", r.Object("db"))
	require.Equal(t, "before@1-aabbccdd", r.Argument())
	r.From = approval.None
	require.Equal(t, r, approval.ParseRestore(r.Argument()))
	require.Equal(t, "before@1-aabbccdd", r.String(), "the annotation has no approval")
}
