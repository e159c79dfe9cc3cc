package product

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Judge fails the test if the judges refuse any of the objects, of which there
// must be at least one. It shows the first problems and their number.
func Judge(t *testing.T, objects []object.Object, judges ...object.Judge) {
	t.Helper()
	require.NotEmpty(t, objects, "nothing to judge")
	problems := object.JudgeAll(objects, judges...)
	if len(problems) == 0 {
		return
	}
	const shown = 40
	t.Errorf("%d problems in %d objects:\n%s", len(problems), len(objects),
		strings.Join(problems[:min(shown, len(problems))], "\n"))
}
