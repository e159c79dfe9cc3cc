package manifest_test

import (
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func ExampleEncode() {
	vm := kubevirtv1.VirtualMachine{
		TypeMeta:   metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"},
		ObjectMeta: metav1.ObjectMeta{Name: "web01"},
	}
	text, err := manifest.Encode(nil, &vm)
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"web01"},"spec":{}} <nil>
}

func ExampleAppendYAML() {
	text := []byte(`{"name":"web01","on":"yes","mac":"02:11:22:33:44:55",` +
		`"disks":[{"name":"root","blank":{}}],"userData":"#cloud-config\nuser: me\n"}`)
	fmt.Printf("%s", manifest.AppendYAML(nil, text))
	// Output:
	// name: web01
	// "on": "yes"
	// mac: "02:11:22:33:44:55"
	// disks:
	// - name: root
	//   blank: {}
	// userData: |
	//   #cloud-config
	//   user: me
}

func ExampleWriter() {
	w := manifest.NewWriter(os.Stdout, manifest.JSON)
	for _, name := range []string{"blue", "green"} {
		namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		if err := w.Encode(namespace); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"apiVersion":"v1","kind":"List","items":[
	// {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"blue"}},
	// {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"green"}}
	// ]}
}

func ExampleRead() {
	stream := `
kind: Service
apiVersion: v1
metadata: {namespace: default, name: web01-http}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: web01-cloudinit, namespace: default}}
`
	objects, err := manifest.Read(strings.NewReader(stream))
	if err != nil {
		fmt.Println(err)
	}
	for _, o := range objects {
		fmt.Println(o.ID)
	}
	// Output:
	// Service default/web01-http
	// Secret default/web01-cloudinit
}
