package catalog

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

// numbered returns a catalog with numbered operating systems, each from a line with the numbers of this one and the
// next.
func numbered(count int, line string) *source.Node {
	var b strings.Builder
	b.WriteString("os:\n")
	for i := range count {
		fmt.Fprintf(&b, "  c%d: "+line+"\n", i, i+1)
	}
	var diags source.Diagnostics
	return source.Parse(&source.File{Name: "f", Data: []byte(b.String())}, &diags)[0]
}

const ofRHEL = "{from: rhel9} # before %d"

// A generated catalog has thousands of entries. Each costs the same, however many there are.
func TestEveryEntryCostsTheSame(t *testing.T) {
	bytes := func(count int) int {
		user := numbered(count, ofRHEL)
		var diags source.Diagnostics
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		New(user, &diags)
		runtime.ReadMemStats(&after)
		require.Zero(t, diags.Len())
		return int(after.TotalAlloc-before.TotalAlloc) / count
	}
	bytes(1) // fills the tables of built-in entries
	few := bytes(500)
	require.Less(t, bytes(4000), 2*few)
}

// What finds names asks for them again and again.
func TestNamesAreKept(t *testing.T) {
	s := New(numbered(1000, ofRHEL), new(source.Diagnostics))
	names := s.Names("os")
	require.Greater(t, len(names), 1000)
	require.Zero(t, testing.AllocsPerRun(10, func() { names = s.Names("os") }))
	require.True(t, s.Has("os", "c999"))
	require.True(t, s.Has("os", "rhel9"))
	require.False(t, s.Has("os", "c1000"))
}

// Entries that are built from each other have the keys of all before them.
func TestLineageIsBounded(t *testing.T) {
	var diags source.Diagnostics
	s := New(numbered(mostBuilt-2, "{from: c%d}"), &diags)
	require.Len(t, diags.Sorted(), 1, "the last one is built from an unknown one")
	require.Len(t, s.lineage("c0"), mostBuilt-1)

	diags = source.Diagnostics{}
	s = New(numbered(2000, "{from: c%d}"), &diags)
	require.Len(t, s.lineage("c0"), mostBuilt+1)
	first := diags.Sorted()[0]
	require.Equal(t, `f:2:14: catalog.os.c0.from: "c0" is built from too many others; `+
		"expected at most 31, each from the next", first.String())
}

// BenchmarkLarge measures a catalog of 10,000 entries.
func BenchmarkLarge(b *testing.B) {
	user := numbered(10_000, ofRHEL)
	for b.Loop() {
		New(user, new(source.Diagnostics))
	}
}
