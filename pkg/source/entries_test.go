package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseEntries checks that only the entries of a large file remain text, and that all
// of it is checked.
func TestParseEntries(t *testing.T) {
	var text strings.Builder
	text.WriteString("vms: # all\n")
	for i := 0; text.Len() < largeFile; i++ {
		fmt.Fprintf(&text, "  web%d:\n    # a comment\n    os: größer\n\n    disks: {root: 40Gi}\n", i)
	}
	small := &File{Name: "a.yaml", Data: []byte(text.String()[:largeFile/2])}
	require.Equal(t, Map, ParseEntries(small, "vms", new(Diagnostics))[0].Get("vms", "web0").Kind)

	large := &File{Name: "a.yaml", Data: []byte(text.String())}
	var diags Diagnostics
	doc := ParseEntries(large, "vms", &diags)[0]
	want := Parse(large, &diags)[0]
	require.Empty(t, diags.Sorted())
	require.Len(t, doc.Get("vms").Fields, len(want.Get("vms").Fields))
	for i, f := range doc.Get("vms").Fields {
		require.Equal(t, Unread, f.Value.Kind)
		require.Equal(t, want.Get("vms").Fields[i].Value, f.Value.Read())
	}

	broken := &File{Name: "a.yaml", Data: []byte(text.String() + "  last:\n    os: [\n")}
	require.Empty(t, ParseEntries(broken, "vms", &diags))
	require.True(t, diags.HasErrors())
}
