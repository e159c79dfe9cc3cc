// Package cdi judges DataVolumes with the own code of the Containerized Data
// Importer (CDI), built as a library: the schema of its
// CustomResourceDefinition and the admission webhook of cdi-apiserver. The data
// volume templates of a VirtualMachine are judged as the DataVolumes that
// virt-controller makes of them.
//
// The package is a module of its own: CDI needs other Kubernetes libraries than
// KubeVirt does, and neither may touch the program's.
package cdi
