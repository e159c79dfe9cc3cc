package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Grade is a step of a scale from mild to bad, such as a level of plan.
type Grade interface {
	fmt.Stringer
	Meaning() string
}

// FailOn adds --fail-on. Defaults to the mildest grade, which nothing reaches.
func FailOn[T Grade](cmd *cobra.Command, what string, grades []T) *Choice[T] {
	c := &Choice[T]{Value: grades[0], Accepted: grades}
	cmd.Flags().Var(c, "fail-on", "`"+what+"` at or above which the exit status is 1")
	c.complete(cmd, "fail-on")
	return c
}

// GradeTable returns grades with their meanings, for the help.
func GradeTable[T Grade](grades []T) string {
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

// Grades returns steps of one scale as those of any.
func Grades[T Grade](list []T) []Grade {
	out := make([]Grade, len(list))
	for i, g := range list {
		out[i] = g
	}
	return out
}
