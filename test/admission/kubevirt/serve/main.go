// Command serve acts as virt-api for an API server that tests start. It serves
// KubeVirt's mutating and validating webhooks for VirtualMachines, and the
// definitions of KubeVirt's custom resources.
package main

import (
	"fmt"
	"os"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/serve"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "serve: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	webhooks, err := kubevirt.NewWebhooks()
	if err != nil {
		return err
	}
	definitions, err := kubevirt.Definitions()
	if err != nil {
		return err
	}
	return serve.Run(args, webhooks.Handlers(), definitions, kubevirt.Configurations())
}
