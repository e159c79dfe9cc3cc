package plan

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every phrase that an object of Flux has other words for is written in the code of causes: a cause that is written
// again would keep its words about Argo CD without a sign of it.
func TestFluxWordsAreOfCauses(t *testing.T) {
	var all strings.Builder
	for _, pattern := range []string{"*.go", "../impact/*.go", "../impact/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if file == "flux.go" || strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all.Write(text)
		}
	}
	joined := regexp.MustCompile(`" \+\s*"`).ReplaceAllString(all.String(), "")
	for i := 0; i < len(fluxWords); i += 2 {
		require.Contains(t, joined, fluxWords[i])
	}
}
