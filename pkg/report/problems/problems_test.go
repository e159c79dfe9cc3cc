package problems_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestSummary(t *testing.T) {
	fault := source.Diagnostic{Pos: source.Pos{File: "a.yaml", Line: 1, Col: 1}, Message: "wrong"}
	other := source.Diagnostic{Pos: source.Pos{File: "b.yaml", Line: 1, Col: 1}, Message: "wrong"}
	warning := source.Diagnostic{
		Pos: source.Pos{File: "a.yaml", Line: 2, Col: 1}, Message: "odd", Severity: source.Warning,
	}
	nowhere := source.Diagnostic{Message: "wrong"}
	for want, list := range map[string][]source.Diagnostic{
		"":                                 {fault},
		"2 errors in 1 file":               {fault, fault},
		"3 errors in 2 files":              {fault, other, other},
		"1 error and 1 warning in 1 file":  {fault, warning},
		"2 warnings in 1 file":             {warning, warning},
		"2 errors":                         {nowhere, nowhere},
		"2 errors and 1 warning in 1 file": {nowhere, fault, warning},
	} {
		require.Equal(t, want, problems.Summary(list))
	}
	require.Empty(t, problems.Summary(nil))
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"vms/größe “x”.yaml: 5 %": "vms/größe “x”.yaml: 5 %",
		"a\nb\r\tc":               `a\nb\r\tc`,
		"\x1b[2J\x07\x7f":         `\x1b[2J\a\x7f`,
		"\u202etxt.exe\u200b":     `\u202etxt.exe\u200b`,
		"a\xffb\ufffd":            `a\xffb` + "\ufffd",
	} {
		require.Equal(t, want, problems.Visible(text))
	}
}

// Report fails only for errors but also writes warnings.
func TestReport(t *testing.T) {
	var diags source.Diagnostics
	var out strings.Builder
	require.NoError(t, problems.Report(&out, &diags))
	require.Empty(t, out.String())

	at := source.Pos{File: "a.yaml", Line: 1, Col: 2}
	diags.Warnf(at, "odd", "vms.a", "odd")
	require.NoError(t, problems.Report(&out, &diags))
	require.Equal(t, "a.yaml:1:2: warning: vms.a: odd\n", out.String())

	diags.Errorf(at, "wrong", "vms.b", "wrong")
	require.ErrorIs(t, problems.Report(io.Discard, &diags), problems.ErrReported)
}

// screen shows colors, or does not.
type screen struct {
	strings.Builder
	colors bool
}

func (s *screen) Color() bool { return s.colors }

// Where colors are shown, the place of a problem has that of its severity, and names of files can add none.
func TestColors(t *testing.T) {
	at := source.Pos{File: "a\x1b[5m.yaml", Line: 1, Col: 2}
	list := []source.Diagnostic{
		{Pos: at, Severity: source.Error, Path: "vms.a", Message: "wrong"},
		{Pos: at, Severity: source.Warning, Message: "odd"},
		{Severity: source.Error, Message: "nowhere"},
	}
	for colors, want := range map[bool]string{
		true:  "\x1b[31ma\\x1b[5m.yaml:1:2\x1b[0m: vms.a: wrong\n\x1b[33ma\\x1b[5m.yaml:1:2\x1b[0m: warning: odd\nnowhere\n",
		false: "a\\x1b[5m.yaml:1:2: vms.a: wrong\na\\x1b[5m.yaml:1:2: warning: odd\nnowhere\n",
	} {
		s := &screen{colors: colors}
		require.NoError(t, problems.Text(s, list, false))
		require.Equal(t, want+"2 errors and 1 warning in 1 file\n", s.String())
	}
}
