package draft

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// rootVolume is the name that package render gives to the volume of the root disk.
const rootVolume = "rootdisk"

// The labels and annotations that package render adds to pods (kubevirt/common-templates
// templates/*.tpl.yaml).
const (
	labelApp    = "app"
	labelDomain = "kubevirt.io/domain"
	labelSize   = "kubevirt.io/size"

	annotationOS       = "vm.kubevirt.io/os"
	annotationFlavor   = "vm.kubevirt.io/flavor"
	annotationWorkload = "vm.kubevirt.io/workload"
)

// IsOurs reports whether a label or annotation is vmrender's or Argo CD's own.
func IsOurs(key string) bool {
	return labels.IsReserved(key) || strings.HasPrefix(key, argocd.AnnotationPrefix)
}

// AddedLabels are labels that package render adds to VirtualMachines.
var AddedLabels = []string{"app", "app.kubernetes.io/managed-by", "kubevirt.io/vm-delete-protection"}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// escaped returns a text as it is written where the format has templates.
func escaped(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// texts returns a map whose values are templates, or nil if it is empty.
func texts(m map[string]string) *source.Node {
	if len(m) == 0 {
		return nil
	}
	out := make(tree, len(m))
	for key, value := range m {
		out[key] = escaped(value)
	}
	return node.Of(out)
}

// Numbered returns a name that is not taken: the given one, or that with the first free number from 2, such as
// "data-2", in the place of the digits at its end.
func Numbered(name string, taken func(string) bool) string {
	for i := 2; taken(name); i++ {
		name = strings.TrimRight(name, "-0123456789") + "-" + strconv.Itoa(i)
	}
	return name
}
