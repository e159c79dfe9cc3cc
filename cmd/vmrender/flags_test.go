package main

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// The error for a value that a flag does not accept says what it accepts, whatever the flag.
func TestWrongFlagValues(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commandsOf(newRootCommand()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			err := c.ParseFlags([]string{"--" + f.Name + "=?"})
			if err == nil {
				return
			}
			seen[f.Value.Type()] = true
			require.Regexp(t, `^--`+f.Name+` "\?".*(expected|accepted)`, flagError(c, err).Error(), c.CommandPath())
		})
	}
	for kind := range accepted {
		require.True(t, seen[kind], "no flag has a value of type %s", kind)
	}
}
