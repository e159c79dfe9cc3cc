// Package kubevirt judges VirtualMachines with KubeVirt's own code, built as a
// library: the schemas of its CustomResourceDefinitions, its API types, and the
// admission webhooks of virt-api, up to the VirtualMachineInstance that
// virt-controller would create. What passes here is accepted by a cluster;
// what needs a cluster's state (quota, nodes, the content of images) is not judged.
//
// The package is a module of its own, so that KubeVirt's dependencies never
// touch those of the program.
package kubevirt
