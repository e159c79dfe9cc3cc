// Command release makes the releases of vmrender. The Makefile shows its use.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// command is one of the program's commands.
type command struct {
	name  string
	usage string
	run   func(ctx context.Context, flags *flag.FlagSet, args []string) error
}

func commands() []command {
	return []command{
		{"image", "assemble the image and push it", pushImage},
		{"unpack", "assemble the image of one platform and unpack it into a directory", unpackImage},
		{"publish", "make a release of the tag that is checked out, and verify it", publish},
		{"dry", "make a release of the commit into a registry that ends with it, and verify it", rehearse},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs the command that the first argument names.
func run(ctx context.Context, args []string) error {
	var accepted strings.Builder
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			return c.run(ctx, flag.NewFlagSet(c.name, flag.ContinueOnError), args[1:])
		}
		fmt.Fprintf(&accepted, "\n  %-8s %s", c.name, c.usage)
	}
	return fmt.Errorf("no such command; accepted:%s", accepted.String())
}
