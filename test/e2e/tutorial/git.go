package tutorial

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// NewRepository creates an empty repository that a reader can push to, in a directory that
// does not exist, and returns its URL.
func NewRepository(t *testing.T, dir string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", "--initial-branch=main", dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return "file://" + dir
}

// Author returns the environment of a reader of a page who commits to repositories and has no
// Git settings.
func Author() []string {
	env := []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=reader", "GIT_"+who+"_EMAIL=reader@example.com")
	}
	return env
}
