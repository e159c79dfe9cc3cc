package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/suggest"
)

func TestDiagnosticString(t *testing.T) {
	for want, d := range map[string]Diagnostic{
		"f.yaml:3:5: vms.a: wrong":  {Pos: Pos{"f.yaml", 3, 5}, Path: "vms.a", Message: "wrong"},
		"f.yaml:3: wrong":           {Pos: Pos{"f.yaml", 3, 0}, Message: "wrong"},
		"f.yaml: wrong":             {Pos: Pos{"f.yaml", 0, 0}, Message: "wrong"},
		"wrong":                     {Message: "wrong"},
		"f.yaml:1:2: warning: odd":  {Pos: Pos{"f.yaml", 1, 2}, Severity: Warning, Message: "odd"},
		"f.yaml:1: warning: a: odd": {Pos: Pos{"f.yaml", 1, 0}, Severity: Warning, Path: "a", Message: "odd"},
	} {
		require.Equal(t, want, d.String())
	}
}

func TestDiagnosticsSorted(t *testing.T) {
	var d, other Diagnostics
	d.Errorf(Pos{"b", 1, 1}, "r", "", "second file")
	d.Warnf(Pos{"a", 2, 1}, "r", "", "later line")
	require.True(t, d.HasErrors())
	other.Warnf(Pos{"a", 1, 9}, "r", "", "later column")
	other.Errorf(Pos{"a", 1, 1}, "r", "vms.one", "inherited %s", "value")
	other.Errorf(Pos{"a", 1, 1}, "r", "vms.two", "inherited value")
	other.Errorf(Pos{"a", 1, 1}, "r", "vms.two", "another")
	d.Merge(&other)
	d.Merge(nil)
	require.Equal(t, 6, d.Len())
	require.Equal(t, `a:1:1: vms.two: another [r]
a:1:1: vms.one: inherited value [r]
a:1:9: warning: later column [r]
a:2:1: warning: later line [r]
b:1:1: second file [r]
`, lines(&d))
}

// The search for what unknown names mean ends, however many there are, at the same problem in each run.
func TestSuggestionsAreBounded(t *testing.T) {
	var d Diagnostics
	searched := 0
	unknown := func(line, names int) {
		d.Errorf(Pos{"a", line, 1}, "r", "", "reason: %s", suggest.Message{
			Problem: fmt.Sprintf("unknown %d", line%6), Names: names,
			End: func() string { searched += names; return "did you mean it?" },
		})
	}
	for line := range 10 {
		unknown(10-line, mostSearched/4)
	}
	d.Warnf(Pos{"a", 3, 2}, "r", "", "%s", suggest.Message{Problem: "no end"})
	require.Zero(t, searched, "not before the messages are shown")
	shown := lines(&d)
	require.Equal(t, mostSearched, searched)
	require.True(t, strings.HasPrefix(shown, "a:1:1: reason: unknown 1; did you mean it? [r]\n"), shown)
	require.Contains(t, shown, "a:3:2: warning: no end [r]\na:4:1: reason: unknown 4; did you mean it? [r]\n"+
		"a:5:1: reason: unknown 5 [r]\na:6:1: reason: unknown 0 [r]\n"+
		"a:7:1: reason: unknown 1; did you mean it? [r]\n", "the end of the same message is known")
}

func TestHasErrors(t *testing.T) {
	var d Diagnostics
	require.False(t, d.HasErrors())
	d.Warnf(Pos{}, "r", "", "odd")
	require.False(t, d.HasErrors())
}

func TestPaths(t *testing.T) {
	require.Equal(t, "vms.web01.nics[0].mac", JoinPath(IndexPath(JoinPath(JoinPath("vms", "web01"), "nics"), 0), "mac"))
	require.Equal(t, `vms["db 01"].labels["app.io/part"]`,
		JoinPath(JoinPath(JoinPath("vms", "db 01"), "labels"), "app.io/part"))
}

func TestRelabel(t *testing.T) {
	var d Diagnostics
	d.Errorf(Pos{"/tmp/x/a/b.yaml", 1, 2}, "r", "vms.a", "also in /tmp/x/c.yaml:3:4 and /tmp/xy/d.yaml")
	d.Errorf(Pos{"/tmp/x", 0, 0}, "r", "", "the root")
	d.Errorf(Pos{"/tmp/xy/e.yaml", 0, 0}, "r", "", "another directory")
	d.Relabel("/tmp/x", "main:")
	require.Equal(t, `/tmp/xy/e.yaml: another directory [r]
main:.: the root [r]
main:a/b.yaml:1:2: vms.a: also in main:c.yaml:3:4 and /tmp/xy/d.yaml [r]
`, lines(&d))
}
