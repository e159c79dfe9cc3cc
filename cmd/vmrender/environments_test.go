package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/source"
)

// The terminal sessions in docs/how-to/environments.md are true for
// examples/environments.
func TestEnvironmentsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/environments.md")
	require.NoError(t, err)
	t.Chdir("../../examples/environments")
	checked := 0
	docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		if b.Lang != "console" {
			return b.Text
		}
		for _, c := range b.Commands() {
			args, isOurs := strings.CutPrefix(c.Line(), "vmrender ")
			if !isOurs || c.Output == "" {
				continue // needs a repository; examples/apps has the result
			}
			status, stdout, stderr := run(strings.Fields(args)...)
			require.Equal(t, statusOK, status, stderr)
			require.Equal(t, c.Output, stdout+stderr, args)
			checked++
		}
		return b.Text
	})
	require.Equal(t, 3, checked)
	overlay, err := os.ReadFile("env/dev.yaml")
	require.NoError(t, err)
	_, settings, _ := strings.Cut(string(overlay), "\n") // the first line is a comment
	require.Contains(t, string(page), settings, "the overlay that the page shows")
}

// If a warning says that part of an overlay changes no VM, generated fleets render to the
// same bytes without it.
func TestNoEffectIsTrue(t *testing.T) {
	t.Chdir(t.TempDir())
	checked := 0
	for seed := uint64(1); checked < 20; seed++ {
		require.Less(t, seed, uint64(4000), "too few overlays have no effect")
		f := fleetgen.New(seed)
		overlay := f.Files[".stage.yaml"]
		if len(overlay) == 0 {
			continue
		}
		require.NoError(t, rewrite(f))
		status, with, stderr := run(append([]string{"template"}, f.Args...)...)
		warnings := noEffect.FindAllStringSubmatch(stderr, -1)
		if status != statusOK || len(warnings) == 0 {
			continue
		}
		for _, w := range warnings {
			removePath(overlay[0], "", w[1])
		}
		require.NoError(t, rewrite(f))
		status, without, _ := run(append([]string{"template"}, f.Args...)...)
		if status != statusOK {
			continue // the rest of the overlay is not valid by itself
		}
		require.Equal(t, with, without, "seed %d: %v", seed, warnings)
		checked++
	}
}

var noEffect = regexp.MustCompile(`(?m)^\.stage\.yaml:\d+:\d+: warning: ` +
	`(?:(.*): changes no VM of the fleet|the overlay changes no VM)`)

// removePath removes the value at a path of a document, or the whole document if the path
// is empty.
func removePath(document any, at, path string) {
	m, ok := document.(map[string]any)
	if !ok {
		return
	}
	for key, value := range m {
		if below := source.JoinPath(at, key); path == "" || path == below {
			delete(m, key)
		} else {
			removePath(value, below, path)
		}
	}
}
