package suggest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDidYouMean(t *testing.T) {
	keys := []string{"os", "cpu", "memory", "disks", "nics", "runStrategy", "terminationGracePeriodSeconds"}
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("name-%02d-long", i)
	}
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"memmory", keys, `did you mean "memory"?`},
		{"Memory", keys, `did you mean "memory"?`},
		{"runstrategy", keys, `did you mean "runStrategy"?`},
		{"terminationGraceSeconds", keys, `did you mean "terminationGracePeriodSeconds"?`},
		{"mem", keys, `did you mean "memory"?`},
		{"cpuTopologyOfGuest", keys, `did you mean "cpu"?`},
		{"so", keys, "accepted: cpu, disks, memory, nics, os, runStrategy, terminationGracePeriodSeconds"},
		{"x", []string{"b", "a", "a"}, `did you mean "a"?`},
		{"xyz", []string{"b", "a", "a"}, "accepted: a, b"},
		{
			"other", many,
			"accepted: 20 names, for example: name-00-long, name-01-long, name-02-long, name-03-long, name-04-long",
		},
		{"rhel-9.4", []string{"rhel8", "rhel9", "fedora"}, `did you mean "rhel9"?`},
		{"xyz", []string{"a", "b\nc"}, `accepted: a, "b\nc"`},
		{"x", nil, "none is known here"},
	} {
		require.Equal(t, c.want, DidYouMean(c.name, c.known), c.name)
	}
}

func ExampleDidYouMean() {
	fmt.Println(DidYouMean("rhel99", []string{"rhel9", "fedora", "windows10"}))
	fmt.Println(DidYouMean("solaris", []string{"rhel9", "fedora", "windows10"}))
	// Output:
	// did you mean "rhel9"?
	// accepted: fedora, rhel9, windows10
}

func TestOneOf(t *testing.T) {
	require.Equal(t, `did you mean "flavor" or "disks.root.size"?`, OneOf([]string{"flavor", "disks.root.size"}))
}
