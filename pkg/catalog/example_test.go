package catalog_test

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

func ExampleNew() {
	text := "os: {server2019: {from: windows2019, rootSize: 50Gi}, app: {from: rhel99}}\n"
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: "fleet.yaml", Data: []byte(text)}, &diags)

	set := catalog.New(docs[0], &diags)
	os := set.OS("server2019")
	fmt.Println(os.Label, os.Family, os.RootSize, os.DiskBus, os.NICModel)
	for _, d := range diags.Sorted() {
		fmt.Println(d)
	}
	// Output:
	// server2019 windows 50Gi sata e1000e
	// fleet.yaml:1:67: catalog.os.app.from: unknown operating system "rhel99"; did you mean "rhel9"?
}
