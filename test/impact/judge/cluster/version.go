package cluster

import (
	"reflect"
	"regexp"
	"runtime"

	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// Version returns the version of KubeVirt that the program is built with, such as "1.8.4". The paths of its sources have it; a
// test contains no list of its modules.
func Version() string {
	at := reflect.ValueOf(components.NewVirtualMachineCrd).Pointer()
	file, _ := runtime.FuncForPC(at).FileLine(at)
	return regexp.MustCompile(`@v([0-9.]+)/`).FindStringSubmatch(file)[1]
}
