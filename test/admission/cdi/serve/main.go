// Command serve acts as cdi-apiserver for an API server that tests start. It
// serves the validating webhook for DataVolumes and the definitions of CDI's
// custom resources.
package main

import (
	"fmt"
	"os"

	"github.com/vmrender/vmrender/test/admission/cdi"
	"github.com/vmrender/vmrender/test/admission/serve"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "serve: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	webhook, err := cdi.NewWebhook()
	if err != nil {
		return err
	}
	definitions, err := cdi.Definitions()
	if err != nil {
		return err
	}
	return serve.Run(args, webhook.Handlers(), definitions, []any{cdi.Configuration()})
}
