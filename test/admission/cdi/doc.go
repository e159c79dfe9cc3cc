// Package cdi judges DataVolumes with the code of the Containerized Data Importer
// (CDI), built as a library: the schema of its CustomResourceDefinition and the
// admission webhook of cdi-apiserver. The data volume templates of a
// VirtualMachine are judged as the DataVolumes that virt-controller creates from
// them.
//
// The package is a separate module because CDI needs other Kubernetes libraries
// than KubeVirt, and neither may affect those of the program.
package cdi
