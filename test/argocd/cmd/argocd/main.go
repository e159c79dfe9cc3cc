// Command argocd contains the Argo CD servers that tests run, in one binary.
// The name that it is called by selects the server, as in Argo CD's own binary
// (argo-cd v3.2.11, cmd/main.go), which also links the web interface.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	askpass "github.com/argoproj/argo-cd/v3/cmd/argocd-git-ask-pass/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

func main() {
	servers := map[string]func() *cobra.Command{
		"argocd-application-controller":    controller.NewCommand,
		"argocd-applicationset-controller": applicationset.NewCommand,
		"argocd-cmp-server":                cmpserver.NewCommand,
		"argocd-git-ask-pass":              askpass.NewCommand,
		"argocd-repo-server":               reposerver.NewCommand,
	}
	server, known := servers[filepath.Base(os.Args[0])]
	if !known {
		fmt.Fprintf(os.Stderr, "argocd: call it by the name of a server, not %q\n", os.Args[0])
		os.Exit(2)
	}
	if server().Execute() != nil {
		os.Exit(1)
	}
}
