// Command vmrender renders compact values of virtual machines into KubeVirt and
// CDI manifests.
//
// Manifests and requested reports go to stdout, everything for people goes to
// stderr. The exit status is 0 for success, 1 for invalid input, 2 for a
// command line that is not understood.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	status := execute(ctx, newRootCommand(), os.Args[1:])
	stop()
	os.Exit(status)
}
