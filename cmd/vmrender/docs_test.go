package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/golden"
)

// TestReference holds docs/cli.md to what the commands say of themselves; with
// -update it writes the file.
func TestReference(t *testing.T) {
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	golden.Equal(t, "../../docs/cli.md", reference(root))
}

// reference is the page of a command and all its verbs.
func reference(root *cobra.Command) string {
	var out strings.Builder
	out.WriteString("<!-- Generated from the commands by the test of cmd/vmrender; do not edit. -->\n# The command line\n")
	fmt.Fprintf(&out, "\n%s\n\n| Command | |\n|---|---|\n", root.Long)
	for _, c := range commandsOf(root) {
		fmt.Fprintf(&out, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	for _, c := range commandsOf(root) {
		writeVerb(&out, c)
	}
	return out.String()
}

func commandsOf(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, c)
		}
	}
	return list
}

// writeVerb writes the section of one verb, with the names of what is beneath it.
func writeVerb(out *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", c.CommandPath(), strings.TrimSpace(long))
	writeBlock(out, c.UseLine())
	for _, sub := range commandsOf(c) {
		fmt.Fprintf(out, "\n- `%s`: %s", sub.CommandPath(), sub.Short)
	}
	if c.HasAvailableSubCommands() {
		out.WriteString("\n")
	}
	writeBlock(out, c.Example)
	writeBlock(out, c.LocalFlags().FlagUsages())
}

// writeBlock writes text as a block of code, where there is any.
func writeBlock(out *strings.Builder, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", text)
	}
}
