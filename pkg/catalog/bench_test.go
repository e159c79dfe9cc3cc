package catalog

import (
	"testing"

	"github.com/vmrender/vmrender/pkg/source"
)

// BenchmarkFirst is what a process pays for its first operating system and
// flavor; only its first iteration (-benchtime 1x) is cold.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		var diags source.Diagnostics
		s := New(nil, &diags)
		if s.OS("rhel9") == nil || s.Flavor("u1.medium") == nil {
			b.Fatal("missing")
		}
	}
}

// BenchmarkTables is what making the tables costs of it.
func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newTable("os", osText)
		newTable("traits", traitsText)
		newTable("flavors", flavorsText)
	}
}

// BenchmarkAgain is what every further machine pays.
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
