package docblocks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// File returns the text of a block with a file of dir, as it is to be. The first line of the
// block is a comment with the file's name and how it is shown: in full; as an excerpt, which
// must be in the file; or new or edited, and then it is written. Other blocks are returned as they are.
func File(t testing.TB, dir string, b Block) string {
	t.Helper()
	first, body, _ := strings.Cut(b.Text, "\n")
	label, isFile := strings.CutPrefix(first, "# ")
	if !isFile {
		return b.Text
	}
	name, how, _ := strings.Cut(label, ", ")
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	require.Equal(t, how == "new", os.IsNotExist(err), "%s: %v", name, err)
	switch how {
	case "":
		body = string(text)
	case "excerpt":
		require.Contains(t, string(text), body, name)
	case "new", "edited":
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	default:
		require.Fail(t, "a file is shown in a way that the test does not know", first)
	}
	return first + "\n" + body
}
