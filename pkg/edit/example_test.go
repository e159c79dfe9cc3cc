package edit_test

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

func ExampleApply() {
	text := `vms:
  web01:   # the shop
    memory: "16Gi"
    disks: {data: 20Gi}
`
	values := source.Parse(&source.File{Data: []byte("{size: 30Gi, bus: scsi}")}, new(source.Diagnostics))
	after, err := edit.Apply("web.yaml", []byte(text),
		edit.Change{Path: []string{"vms", "web01", "disks", "data"}, Value: values[0]},
		edit.Change{Path: []string{"vms", "web01", "os"}, Value: &source.Node{Kind: source.String, Text: "fedora"}},
		edit.Change{Path: []string{"vms", "web01", "memory"}},
	)
	fmt.Print(string(after), err)
	// Output:
	// vms:
	//   web01:   # the shop
	//     disks: {data: {size: 30Gi, bus: scsi}}
	//     os: fedora
	// <nil>
}

func ExampleBlock() {
	docs := source.Parse(&source.File{Data: []byte(
		`{vms: {web01: {os: "fedora", mac: "02:00:00:00:00:01", cloudInit: {userData: "#cloud-config\nfqdn: a\n"}}}}`,
	)}, new(source.Diagnostics))
	fmt.Print(edit.Block(docs[0], 0))
	// Output:
	// vms:
	//   web01:
	//     os: fedora
	//     mac: "02:00:00:00:00:01"
	//     cloudInit:
	//       userData: |
	//         #cloud-config
	//         fqdn: a
}
