package adopt_test

import (
	"fmt"
	"testing"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// BenchmarkImport imports 1,000 machines of the corpus's shapes in ten namespaces.
func BenchmarkImport(b *testing.B) {
	all, err := manifest.ReadFiles(corpus)
	if err != nil {
		b.Fatal(err)
	}
	var shapes []manifest.Tree
	for _, o := range all {
		if o.Kind == "VirtualMachine" && adopt.ManagedBy(o.Tree()) == "" {
			shapes = append(shapes, o.Tree())
		}
	}
	var objects []manifest.Object
	for i := range 1000 {
		vm := shapes[i%len(shapes)]
		meta := manifest.Map(vm, "metadata")
		meta["name"], meta["namespace"] = fmt.Sprintf("vm-%04d", i), fmt.Sprintf("ns-%d", i%10)
		o, err := manifest.New(vm)
		if err != nil {
			b.Fatal(err)
		}
		objects = append(objects, o)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := adopt.Import(objects, adopt.Options{Name: "bench"})
		if err != nil || len(r.Machines) != len(objects) {
			b.Fatal(err)
		}
	}
}
