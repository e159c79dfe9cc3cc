// Command kubectl is Kubernetes' own, for tests that type what a page shows.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// main does what that of k8s.io/kubernetes v1.36.3, cmd/kubectl/kubectl.go, does.
func main() {
	util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()))
}
