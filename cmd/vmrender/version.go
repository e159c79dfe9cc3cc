package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
)

// build describes what this program was built from.
type build struct {
	Version  string `json:"version"`          // of the module; "(devel)" for a build outside of a clone
	Commit   string `json:"commit,omitempty"` // of the tree
	Date     string `json:"date,omitempty"`   // of the commit: RFC 3339, in UTC
	Modified bool   `json:"modified"`         // the tree had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print version, commit, its date, and Go version",
		Args:              argsBetween(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	form := cli.Output(cmd, forms())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		b := readBuild()
		return form.Value.print(cmd.OutOrStdout(), b, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, b)
			return err
		})
	}
	return cmd
}

// readBuild returns what Go recorded: "go build" in a clone records all of it, "go
// install" of a version only that.
func readBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns one line, such as
// "vmrender v1.2.0 (commit 3f2a91c74d0e of 2026-11-22T20:15:04Z), go1.26.8 linux/amd64".
func (b build) String() string {
	line := "vmrender " + b.Version
	if b.Commit != "" {
		line += " (commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Date != "" {
			line += " of " + b.Date
		}
		if b.Modified {
			line += ", modified"
		}
		line += ")"
	}
	return fmt.Sprintf("%s, %s %s", line, b.Go, b.Platform)
}
