package forklift

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestForkliftCopies(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "wave-1", Labels: map[string]string{"a": "b"}}
	for _, o := range []runtime.Object{
		&NetworkMap{ObjectMeta: meta}, &StorageMap{ObjectMeta: meta}, &Plan{ObjectMeta: meta}, &PlanRun{ObjectMeta: meta},
		&Hook{ObjectMeta: meta},
	} {
		require.Equal(t, o, o.DeepCopyObject())
		o.DeepCopyObject().(metav1.Object).GetLabels()["a"] = "changed"
		require.Equal(t, "b", meta.Labels["a"])
	}
}

// Every disk and NIC has its own name. One that is not in Git has no name, which forklift
// rejects.
func TestChoice(t *testing.T) {
	text := choice(".DiskIndex", []string{"web01", "web01-logs", "web01-data"})
	tmpl := template.Must(template.New("").Parse(text))
	for index, want := range []string{"web01", "web01-logs", "web01-data", ""} {
		var out strings.Builder
		require.NoError(t, tmpl.Execute(&out, map[string]int{"DiskIndex": index}))
		require.Equal(t, want, out.String())
	}
	require.Empty(t, choice(".DiskIndex", nil))
}
