package catalog

import (
	"testing"

	"github.com/vmrender/vmrender/pkg/source"
)

// BenchmarkFirst measures the cost of a process's first operating system and flavor. Only
// its first iteration (-benchtime 1x) is cold.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		var diags source.Diagnostics
		s := New(nil, &diags)
		if s.OS("rhel9") == nil || s.Flavor("u1.medium") == nil {
			b.Fatal("missing")
		}
	}
}

// BenchmarkTables measures the part of that cost for creating the tables.
func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newTable("os", osText)
		newTable("traits", traitsText)
		newTable("flavors", flavorsText)
	}
}

// BenchmarkAgain measures the cost of every further VM.
func BenchmarkAgain(b *testing.B) {
	var diags source.Diagnostics
	s := New(nil, &diags)
	b.ReportAllocs()
	for b.Loop() {
		if s.OS("rhel9") == nil || s.Flavor("u1.medium") == nil {
			b.Fatal("missing")
		}
	}
}
