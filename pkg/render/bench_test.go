package render

import (
	"testing"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

func BenchmarkObjects(b *testing.B) {
	for _, bench := range []struct {
		name    string
		machine func(testing.TB) *machine.Machine
	}{
		{"linux", acpRHEL9},
		{"windows", acpServer2019},
		{"cloud-init", configDriveMachine},
		{"overrides", overriddenMachine},
		{"patches", overridesMachine},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r, m := new(renderer), bench.machine(b)
			var diags source.Diagnostics
			b.ReportAllocs()
			for b.Loop() {
				r.render(m, &diags)
			}
			if diags.Len() > 0 {
				b.Fatal(diags.Sorted())
			}
		})
	}
}

func overriddenMachine(t testing.TB) *machine.Machine {
	m := overridesMachine(t)
	m.Patches = nil
	return m
}
