package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// collected renders values, and returns the objects and all problems.
func collected(values string) ([]render.Rendered, *source.Diagnostics) {
	c := render.NewCollector()
	text := "defaults: {os: rhel9, flavor: small, namespace: ns}\nvms:\n" + values
	_, diags := inventory.Visit("-", fleet.Options{Stdin: strings.NewReader(text)}, c.Visit)
	return c.Rendered(diags), diags
}

// The name of a VM of blue-green has a hash, so that only the output shows that another VM has the same name.
func TestBlueGreenNamesAreUnique(t *testing.T) {
	const green = "  a: {lifecycle: {type: cattle, strategy: blue-green}}\n"
	all, diags := collected(green)
	require.Empty(t, diags.Sorted())
	name := render.Objects(all...)[0].Name
	require.Regexp(t, "^a-[0-9a-f]{8}$", name)

	_, diags = collected(green + "  " + name + ": {}\n")
	var problems []string
	for _, d := range diags.Sorted() {
		problems = append(problems, d.Message)
	}
	require.Equal(t, []string{
		"its VirtualMachine \"" + name + "\" is also one of the VM \"a\" at <stdin>:3:3; rename one of them",
	}, problems)
}
