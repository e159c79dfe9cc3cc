package layers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/layers"
)

// inTemplates are words of Helm and of its templates, which say nothing to users.
var inTemplates = regexp.MustCompile(`templates/|executing|error calling|interface \{\}|nil pointer|` +
	`specifications of the schema`)

// Every value that a chart refuses is explained where it stands in platform.yaml: with its path, and in words of the
// values.
func TestWrongValuesInPlatforms(t *testing.T) {
	files, err := filepath.Glob("../../charts/*/testdata/bad/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 150)
	for _, file := range files {
		chart := strings.Split(filepath.ToSlash(file), "/")[3]
		t.Run(chart+"/"+filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			values := strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n      ")
			platform := write(t, "layers:\n  "+chart+":\n    values:\n      "+values+"\n")
			_, diags := layers.RenderLayer(platform, chart, layers.Options{})
			messages := problems(diags, "")
			require.Regexp(t, `(?m)^[^:]*platform.yaml:\d+:\d+: layers\.`+chart, messages)
			require.NotRegexp(t, inTemplates, messages)
		})
	}
}
