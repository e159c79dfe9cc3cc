// Package cli has what the commands share: flags that accept a few named values, tables, and what a terminal shows.
package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/suggest"
)

// Choice is the value of a flag that accepts a few named values.
type Choice[T fmt.Stringer] struct {
	Value    T
	Accepted []T
}

// String returns the name of the value.
func (c *Choice[T]) String() string { return c.Value.String() }

// Type returns the accepted names, as help shows them.
func (c *Choice[T]) Type() string { return strings.Join(c.Names(), "|") }

// Set sets the value by its name. The error lists what is accepted, or suggests the nearest name.
func (c *Choice[T]) Set(name string) error {
	i := slices.Index(c.Names(), name)
	if i < 0 {
		if near, ok := suggest.Nearest(name, c.Names()); ok && near[0] == name[0] { // no guess of another format
			return errors.New(suggest.OneOf([]string{near}))
		}
		return errors.New("accepted: " + NamesOf(c.Accepted))
	}
	c.Value = c.Accepted[i]
	return nil
}

// Names returns the accepted names, in their order.
func (c *Choice[T]) Names() []string { return names(c.Accepted) }

// NamesOf returns the names of values as a list for users, sorted.
func NamesOf[T fmt.Stringer](list []T) string {
	return strings.Join(slices.Sorted(slices.Values(names(list))), ", ")
}

// names returns the names of values.
func names[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, value := range list {
		out[i] = value.String()
	}
	return out
}

// Output adds -o with the accepted formats. Defaults to the first one.
func Output[T fmt.Stringer](cmd *cobra.Command, accepted []T) *Choice[T] {
	c := &Choice[T]{Value: accepted[0], Accepted: accepted}
	cmd.Flags().VarP(c, "output", "o", "output `format`: "+strings.Join(c.Names(), ", "))
	c.complete(cmd, "output")
	return c
}

// complete sets the completion of a flag. It panics if the flag does not exist, which is a mistake in this package.
func (c *Choice[T]) complete(cmd *cobra.Command, flag string) {
	accepted := cobra.FixedCompletions(c.Names(), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, accepted); err != nil {
		panic(err)
	}
}
