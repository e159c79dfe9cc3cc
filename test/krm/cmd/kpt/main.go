// Command kpt runs kpt's own "fn": the rest of kpt needs a module that Go's module proxy does not serve
// (github.com/kptdev/kpt/rollouts).
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"))
	if err := kpt.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
