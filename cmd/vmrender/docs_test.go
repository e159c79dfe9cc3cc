package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// TestReference checks that docs/reference/cli.md matches the help of the commands. With -update, it writes the file.
func TestReference(t *testing.T) {
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	golden.Equal(t, "../../docs/reference/cli.md", reference(root))
}

// TestHelpSentences checks that no sentence starts inside another: in a text that is composed of parts, a piece of an
// earlier text could be left over.
func TestHelpSentences(t *testing.T) {
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	for _, c := range append(commandsOf(root), root) {
		require.NotRegexp(t, `[.,;][.,;]`, strings.ReplaceAll(c.Long, "...", ""), c.CommandPath())
	}
}

// reference returns the page about the root command and its subcommands.
func reference(root *cobra.Command) string {
	var out strings.Builder
	out.WriteString("<!-- Generated from the commands by the test of cmd/vmrender; do not edit. -->\n# The command line\n")
	fmt.Fprintf(&out, "\n%s\n", root.Long)
	for _, g := range root.Groups() {
		fmt.Fprintf(&out, "\n| %s | |\n|---|---|\n", g.ID)
		for _, c := range commandsIn(root, g) {
			fmt.Fprintf(&out, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
		}
	}
	for _, g := range root.Groups() {
		for _, c := range commandsIn(root, g) {
			writeCommand(&out, c)
		}
	}
	return out.String()
}

// commandsIn returns the subcommands of a group.
func commandsIn(root *cobra.Command, group *cobra.Group) []*cobra.Command {
	return slices.DeleteFunc(commandsOf(root), func(c *cobra.Command) bool { return c.GroupID != group.ID })
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

// writeCommand writes the section of one command, with the names of its subcommands.
func writeCommand(out *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", c.CommandPath(), strings.TrimSpace(long))
	writeBlock(out, "Usage", c.UseLine())
	for _, sub := range commandsOf(c) {
		fmt.Fprintf(out, "\n- `%s`: %s", sub.CommandPath(), sub.Short)
	}
	if c.HasAvailableSubCommands() {
		out.WriteString("\n")
	}
	writeBlock(out, "Examples", c.Example)
	writeBlock(out, "Flags", c.LocalFlags().FlagUsages())
}

// writeBlock writes text, if any, as a block of code below its title.
func writeBlock(out *strings.Builder, title, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		fmt.Fprintf(out, "\n**%s**\n\n```text\n%s\n```\n", title, text)
	}
}
