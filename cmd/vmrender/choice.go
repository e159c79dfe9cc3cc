package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/report"
)

// choice is the value of a flag that accepts a few named values.
type choice[T fmt.Stringer] struct {
	value    T
	accepted []T
}

// String returns the name of the value.
func (c *choice[T]) String() string { return c.value.String() }

// Type returns the accepted names, as help shows them.
func (c *choice[T]) Type() string { return strings.Join(c.names(), "|") }

// Set sets the value by its name.
func (c *choice[T]) Set(name string) error {
	i := slices.Index(c.names(), name)
	if i < 0 {
		if near, ok := suggest.Nearest(name, c.names()); ok && near[0] == name[0] { // no guess of another format
			return errors.New(suggest.OneOf([]string{near}))
		}
		return errors.New("accepted: " + strings.Join(slices.Sorted(slices.Values(c.names())), ", "))
	}
	c.value = c.accepted[i]
	return nil
}

func (c *choice[T]) names() []string {
	return names(c.accepted)
}

// names returns the names of values.
func names[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, value := range list {
		out[i] = value.String()
	}
	return out
}

// outputFlag adds -o with the accepted formats. Defaults to the first one.
func outputFlag[T fmt.Stringer](cmd *cobra.Command, accepted []T) *choice[T] {
	c := &choice[T]{value: accepted[0], accepted: accepted}
	cmd.Flags().VarP(c, "output", "o", "output `format`: "+strings.Join(c.names(), ", "))
	completeFlag(cmd, "output", cobra.FixedCompletions(c.names(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// word is a value that is its own name.
type word string

// String returns the word.
func (w word) String() string { return string(w) }

// The forms of a result: text for users, or JSON.
const (
	asText word = "text"
	asJSON word = "json"
)

func forms() []word { return []word{asText, asJSON} }

// print writes value as JSON, or calls text to write it for users.
func (w word) print(stdout io.Writer, value any, text func(io.Writer) error) error {
	if w == asJSON {
		return report.Indented(stdout, value)
	}
	return text(stdout)
}

// grade is a step of a scale from mild to bad, such as a level of plan.
type grade interface {
	fmt.Stringer
	Meaning() string
}

// failOnFlag adds --fail-on. Defaults to the mildest grade, which nothing reaches.
func failOnFlag[T grade](cmd *cobra.Command, what string, grades []T) *choice[T] {
	c := &choice[T]{value: grades[0], accepted: grades}
	cmd.Flags().Var(c, "fail-on", "`"+what+"` at or above which the exit status is 1")
	completeFlag(cmd, "fail-on", cobra.FixedCompletions(c.names(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// gradeTable returns grades with their meanings, for the help.
func gradeTable[T grade](grades []T) string {
	width := 0
	for _, g := range grades {
		width = max(width, len(g.String()))
	}
	var table strings.Builder
	for _, g := range grades {
		fmt.Fprintf(&table, "  %-*s  %s\n", width, g, g.Meaning())
	}
	return table.String()
}

// grades returns steps of one scale as those of any.
func grades[T grade](list []T) []grade {
	out := make([]grade, len(list))
	for i, g := range list {
		out[i] = g
	}
	return out
}

// namesOf returns the names of values as a list for users, sorted.
func namesOf[T fmt.Stringer](list []T) string {
	return strings.Join(slices.Sorted(slices.Values(names(list))), ", ")
}
