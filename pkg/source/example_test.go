package source_test

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/source"
)

func ExampleParse() {
	var diags source.Diagnostics
	text := "vms:\n  web01:\n    memory: 16Gi\n    memory: 8Gi\n    start: yes\n"
	docs := source.Parse(&source.File{Name: "web.yaml", Data: []byte(text)}, &diags)
	for _, d := range diags.Sorted() {
		fmt.Println(d)
	}
	start := docs[0].Get("vms", "web01", "start")
	fmt.Println(start.Pos(), start.Ambiguous())
	// Output:
	// web.yaml:4:5: vms.web01.memory: duplicate key "memory"; it is first set at web.yaml:3:5
	// web.yaml:5:12 "yes" is a boolean in YAML 1.1
}

func ExampleDecode() {
	var machine struct {
		OS    string   `json:"os"`
		Cores int      `json:"cores"`
		Nics  []string `json:"nics"`
	}
	var diags source.Diagnostics
	text := "os: 9\ncorse: 4\nnics: [pod, [vlan2003]]\n"
	docs := source.Parse(&source.File{Name: "web.yaml", Data: []byte(text)}, &diags)
	source.Decode(docs[0], &machine, "vms.web01", &diags)
	for _, d := range diags.Sorted() {
		fmt.Println(d)
	}
	// Output:
	// web.yaml:1:5: vms.web01.os: wrong type: got the number 9, expected a string; quote it: "9"
	// web.yaml:2:1: vms.web01.corse: unknown key "corse"; did you mean "cores"?
	// web.yaml:3:13: vms.web01.nics[1]: wrong type: got a list, expected a string
}

func ExampleInside() {
	var diags source.Diagnostics
	text := "userData: |\n  #cloud-config\n  hostname: {{ .nam }}\n"
	docs := source.Parse(&source.File{Name: "web.yaml", Data: []byte(text)}, &diags)
	fmt.Println(source.Inside(docs[0].Get("userData"), 2, 14))
	// Output: web.yaml:3:16
}
