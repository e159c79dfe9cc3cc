// Command kubectl is Kubernetes' own, for tests that run the commands of a page.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// main does the same as main of k8s.io/kubernetes v1.36.3,
// cmd/kubectl/kubectl.go.
func main() {
	util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()))
}
