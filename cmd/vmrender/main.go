// Command vmrender renders compact values of VMs into KubeVirt and CDI
// manifests.
//
// Manifests and requested reports go to stdout, everything for users goes to
// stderr. The exit status is 0 for success, 1 for invalid input or a
// finding, 2 for an invalid command line, and 3 for the failure of a command with findings.
package main

import (
	"os"

	"github.com/vmrender/vmrender/internal/process"
)

func main() {
	process.Tune()
	os.Exit(execute(newRootCommand(), os.Args[1:]))
}
