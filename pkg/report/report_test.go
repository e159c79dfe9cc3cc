package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

// validations returns the results that every format is tested with.
func validations() map[string]report.Validation {
	at := func(file string, line, col int) source.Pos { return source.Pos{File: file, Line: line, Col: col} }
	return map[string]report.Validation{
		"none": {Version: "v1.2.3", VMs: 12},
		"one": {Version: "v1.2.3", VMs: 0, Diagnostics: []source.Diagnostic{
			{
				Pos: at("vms/web.yaml", 3, 5), Rule: "unknown-key", Path: "vms.web01",
				Message: `unknown key "memmory"; did you mean "memory"?`,
			},
		}},
		"many": {Version: "v1.2.3", VMs: 0, Diagnostics: []source.Diagnostic{
			{Rule: "no-fleet", Message: "no position, no path"},
			{Pos: at("/abs/fleet.yaml", 0, 0), Rule: "no-vms", Message: "no VMs"},
			{
				Pos: at("vms/a b,c:d%.yaml", 7, 0), Rule: "bad-quantity", Path: "vms.db.memory",
				Message: "100% wrong:\r\ntwo lines, <&>",
			},
			{
				Pos: at("vms/web.yaml", 3, 5), Severity: source.Warning, Rule: "inline-secret",
				Path: "vms.web01.cloudInit.password", Message: "literal password",
			},
			{Pos: at("vms/web.yaml", 9, 1), Rule: "unknown-key", Path: "vms.web02", Message: `unknown key "größe"`},
		}},
	}
}

func TestFormats(t *testing.T) {
	formats := map[string]func(io.Writer, report.Validation) error{
		"txt": report.Text, "json": report.JSON, "sarif": report.SARIF, "github": report.GitHub,
	}
	for name, v := range validations() {
		for ext, write := range formats {
			t.Run(name+"."+ext, func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, write(&out, v))
				golden.Equal(t, filepath.Join("testdata", name+"."+ext), out.String())
			})
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema := compiler.MustCompile("testdata/sarif.schema.json")
	for name, v := range validations() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, report.SARIF(&out, v))
			doc, err := jsonschema.UnmarshalJSON(&out)
			require.NoError(t, err)
			require.NoError(t, schema.Validate(doc))
		})
	}
}

// Every result's ruleIndex must refer to the rule with its ruleId (SARIF 2.1.0, section 3.27.6).
func TestSARIFRuleIndex(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.SARIF(&out, validations()["many"]))
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
			}
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &log))
	run := log.Runs[0]
	require.Len(t, run.Results, 5)
	for _, r := range run.Results {
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
	}
}

// An unescaped newline or separator would end the command early, and the runner would
// execute the rest of a user's text as another command.
func TestGitHubIsOneLineEach(t *testing.T) {
	v := report.Validation{Diagnostics: []source.Diagnostic{{
		Pos:     source.Pos{File: "a::b,c\n.yaml", Line: 1, Col: 2},
		Rule:    "bad-path",
		Message: "x\n::add-mask::y\r%0A",
	}}}
	var out strings.Builder
	require.NoError(t, report.GitHub(&out, v))
	require.Equal(t,
		"::error file=a%3A%3Ab%2Cc\\n.yaml,line=1,col=2,title=vmrender bad-path::x%0A::add-mask::y\\r%250A\n", out.String())
}

func TestHasErrors(t *testing.T) {
	warned := report.Validation{Diagnostics: []source.Diagnostic{{Severity: source.Warning}}}
	require.False(t, warned.HasErrors())
	require.True(t, validations()["one"].HasErrors())
}

func TestWriteErrorsAreReturned(t *testing.T) {
	for _, write := range []func(io.Writer, report.Validation) error{
		report.Text, report.JSON, report.SARIF, report.GitHub,
	} {
		require.ErrorIs(t, write(broken{}, validations()["one"]), io.ErrClosedPipe)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func ExampleText() {
	_ = report.Text(os.Stdout, report.Validation{Diagnostics: []source.Diagnostic{
		{
			Pos: source.Pos{File: "vms/web.yaml", Line: 4, Col: 13}, Path: "vms.web01.memory",
			Message: `invalid quantity "16Gb"; expected a quantity such as 16Gi`,
		},
		{
			Pos: source.Pos{File: "vms/web.yaml", Line: 7, Col: 5}, Path: "vms.web02",
			Message: `unknown key "dsks"; did you mean "disks"?`,
		},
	}})
	// Output:
	// vms/web.yaml:4:13: vms.web01.memory: invalid quantity "16Gb"; expected a quantity such as 16Gi
	// vms/web.yaml:7:5: vms.web02: unknown key "dsks"; did you mean "disks"?
	// 2 errors in 1 file
}
