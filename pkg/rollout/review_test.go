package rollout

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/approval"
)

// serve plays an API server that has the given responses by path.
func serve(t *testing.T, responses map[string]string) *Cluster {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := responses[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			text = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	config := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(config, []byte(`{apiVersion: v1, kind: Config, current-context: a,
clusters: [{name: a, cluster: {server: "`+server.URL+`"}}], contexts: [{name: a, context: {cluster: a}}]}`), 0o600))
	c, err := Connect(config)
	require.NoError(t, err)
	return c
}

const (
	nodeHealthPath = "/apis/remediation.medik8s.io/v1alpha1"
	limitPath      = "/api/v1/namespaces/prod/limitranges/vms"
)

// A sync of an approved layer begins if what it changes is as it was in the review, or as Git has it.
func TestReview(t *testing.T) {
	check := approval.SubjectOf(map[string]any{
		"apiVersion": "remediation.medik8s.io/v1alpha1", "kind": "NodeHealthCheck",
		"metadata": map[string]any{"name": "workers"},
		"spec":     map[string]any{"minHealthy": json.Number("51"), "list": []any{map[string]any{"a": "x"}}},
	})
	limit := approval.SubjectOf(map[string]any{
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "vms"},
		"spec": map[string]any{"limits": "b"},
	})
	layer := approval.Layer{
		Name: "a", Rendered: "0123456789abcdef", Namespace: "prod", Subjects: []approval.Subject{check, limit},
	}
	reviewed := map[string]any{"spec": map[string]any{"minHealthy": json.Number("40")}}
	layer.Approved = layer.Token(func(s *approval.Subject) map[string]any {
		if s.Kind == "NodeHealthCheck" {
			return reviewed
		}
		return nil
	})
	const kinds = `{"resources": [{"name": "nodehealthchecks/status", "kind": "NodeHealthCheck"},
		{"name": "nodehealthchecks", "kind": "NodeHealthCheck"}]}`
	const core = `{"resources": [{"name": "limitranges", "kind": "LimitRange", "namespaced": true}]}`
	inGit := `{"metadata": {"uid": "1"}, "spec": {"minHealthy": 51, "other": 1, "list": [{"a": "x", "set": true}]}}`
	for name, c := range map[string]struct{ check, limit, stale string }{
		"as reviewed":        {check: `{"metadata": {"uid": "1"}, "spec": {"minHealthy": 40, "other": 1}}`},
		"as in Git":          {check: inGit, limit: `{"spec": {"limits": "b"}}`},
		"half synced":        {check: inGit},
		"changed since":      {check: `{"spec": {"minHealthy": 41}}`, stale: "NodeHealthCheck workers"},
		"deleted since":      {stale: "NodeHealthCheck workers"},
		"created since":      {check: inGit, limit: `{"spec": {"limits": "c"}}`, stale: "LimitRange vms"},
		"longer list since":  {check: `{"spec": {"minHealthy": 51, "list": [1, 2]}}`, stale: "NodeHealthCheck workers"},
		"both changed since": {`{"spec": {}}`, `{"spec": {}}`, "NodeHealthCheck workers, LimitRange vms"},
	} {
		t.Run(name, func(t *testing.T) {
			responses := map[string]string{nodeHealthPath: kinds, "/api/v1": core}
			if c.check != "" {
				responses[nodeHealthPath+"/nodehealthchecks/workers"] = c.check
			}
			if c.limit != "" {
				responses[limitPath] = c.limit
			}
			text, err := json.Marshal(&layer) // as in the ConfigMap of the Job
			require.NoError(t, err)
			read, err := ReadReview(text)
			require.NoError(t, err)
			err = serve(t, responses).Review(t.Context(), read)
			if c.stale == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "as they were in the review \""+layer.Approved+"\" nor as in Git: "+c.stale+";")
		})
	}
}

// A review is of what the layer rendered then. One without a cluster accepts every state of it.
func TestReviewOfAnotherRendering(t *testing.T) {
	layer := approval.Layer{Name: "a", Rendered: "0123456789abcdef", Approved: "r0123456789abcdee-l"}
	c := serve(t, nil)
	require.ErrorContains(t, c.Review(t.Context(), &layer), `"r0123456789abcdee-l" is not an approval of what it`)
	layer.Approved = approval.None
	require.ErrorContains(t, c.Review(t.Context(), &layer), `"none" is not an approval`)
	layer.Approved = "r0123456789abcdef"
	layer.Subjects = []approval.Subject{approval.SubjectOf(map[string]any{"apiVersion": "v1", "kind": "LimitRange"})}
	require.NoError(t, c.Review(t.Context(), &layer))
	layer.Approved += "-l"
	require.ErrorContains(t, c.Review(t.Context(), &layer), "neither")
}
