// Command vmrender renders compact values of virtual machines into KubeVirt and
// CDI manifests.
//
// Manifests and requested reports go to stdout, everything for people goes to
// stderr. The exit status is 0 for success, 1 for invalid input, 2 for a
// command line that is not understood.
package main

import (
	"os"

	"github.com/vmrender/vmrender/internal/process"
)

func main() {
	process.Tune()
	os.Exit(execute(newRootCommand(), os.Args[1:]))
}
