package render

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
)

// Every disk and NIC has its own name, and one that Git does not know has none, which forklift refuses.
func TestChoice(t *testing.T) {
	text := choice(".DiskIndex", []string{"web01", "web01-logs", "web01-data"})
	tmpl := template.Must(template.New("").Parse(text))
	for index, want := range []string{"web01", "web01-logs", "web01-data", ""} {
		var out strings.Builder
		require.NoError(t, tmpl.Execute(&out, map[string]int{"DiskIndex": index}))
		require.Equal(t, want, out.String())
	}
	require.Empty(t, choice(".DiskIndex", nil))
}
