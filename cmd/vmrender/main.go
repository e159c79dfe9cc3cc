// Command vmrender renders compact values of VMs into KubeVirt and CDI
// manifests.
//
// Manifests and requested reports go to stdout, everything for users goes to
// stderr. The exit status is 0 for success, 1 for invalid input or a
// finding, 2 for an invalid command line, and 3 for the failure of a command with findings.
package main

import (
	"os"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/internal/process"
)

func main() {
	process.Tune()
	root := newRootCommand()
	root.SetOut(cli.Stream{File: os.Stdout})
	root.SetErr(cli.Stream{File: os.Stderr})
	os.Exit(execute(root, os.Args[1:]))
}
