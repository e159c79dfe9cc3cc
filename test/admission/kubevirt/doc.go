// Package kubevirt judges VirtualMachines with KubeVirt's own code, built as a
// library: the schemas of its CustomResourceDefinitions, its API types, and the
// admission webhooks of virt-api, up to the VirtualMachineInstance that
// virt-controller would create. A cluster accepts VMs that pass here. Anything
// that depends on a cluster's state (quota, nodes, the content of images) is not
// judged.
//
// The package is a separate module so that KubeVirt's dependencies never affect
// those of the program.
package kubevirt
