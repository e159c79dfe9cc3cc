package adopt_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// BenchmarkImport imports 1,000 VMs of the corpus's shapes in ten namespaces.
func BenchmarkImport(b *testing.B) {
	all, err := manifest.ReadFiles(corpus)
	if err != nil {
		b.Fatal(err)
	}
	var shapes []manifest.Tree
	for _, o := range all {
		if o.Kind == "VirtualMachine" && refused[o.Namespace+"/"+o.Name] == "" && o.Name != "web01.example.org" {
			shapes = append(shapes, o.Tree())
		}
	}
	var objects []manifest.Object
	for i := range 1000 {
		o, err := manifest.New(unlike(shapes[i%len(shapes)], i))
		if err != nil {
			b.Fatal(err)
		}
		objects = append(objects, o)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := adopt.Import(objects, adopt.Options{Name: "bench"})
		if err != nil || !r.Exact() {
			b.Fatal(err, "not all VMs are exact")
		}
	}
}

// unlike returns a copy of a VM that shares neither its name nor its disks nor its
// identities with others.
func unlike(vm manifest.Tree, i int) manifest.Tree {
	text, err := json.Marshal(vm)
	if err != nil {
		panic(err)
	}
	for _, unique := range []struct{ pattern, with string }{
		{`("(?:uuid|serial|macAddress)":"[^"]*)[0-9a-f]{2}:?[0-9a-f]{2}"`, fmt.Sprintf(`${1}%02x:%02x"`, i>>8, i&255)},
		{`("(?:uuid|serial)":"[^"]*):([0-9a-f]{2}")`, "$1$2"},
		{`("claimName":"[^"]*)"`, fmt.Sprintf(`$1-%04d"`, i)},
		{`("dataVolume":{[^}]*"name":"[^"]*)"`, fmt.Sprintf(`$1-%04d"`, i)},
	} {
		text = regexp.MustCompile(unique.pattern).ReplaceAll(text, []byte(unique.with))
	}
	out := manifest.Decode(text)
	meta := manifest.Map(out, "metadata")
	meta["name"], meta["namespace"] = fmt.Sprintf("vm-%04d", i), fmt.Sprintf("ns-%d", i%10)
	for _, t := range manifest.List(out, "spec", "dataVolumeTemplates") {
		of := manifest.Map(t, "metadata")
		of["name"] = fmt.Sprintf("%s-%04d", of["name"], i)
	}
	return out
}
