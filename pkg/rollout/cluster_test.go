package rollout

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// connected returns a client for a server, configured by a kubeconfig file.
func connected(t *testing.T, serve http.HandlerFunc) *Cluster {
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "` + server.URL + `"}}]
users: [{name: test, user: {token: secret}}]
`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	c, err := Connect(file)
	require.NoError(t, err)
	return c
}

// answer writes a body. It ignores errors, because a client that has disconnected fails
// by itself.
func answer(w http.ResponseWriter, body string) { _, _ = w.Write([]byte(body)) }

func TestRequests(t *testing.T) {
	var seen []string
	c := connected(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusAccepted) // KubeVirt answers a restart without a body
			return
		}
		kind := "DataSourceList"
		if strings.HasSuffix(r.URL.Path, "dataimportcrons") {
			kind = "DataImportCronList"
		}
		answer(w, `{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "`+kind+`", "items": []}`)
	})
	require.NoError(t, c.power(t.Context(), "prod", "web", restartVM))
	text, err := c.Images(t.Context(), []string{"images"})
	require.NoError(t, err)
	require.Contains(t, string(text), "DataImportCronList")
	require.Equal(t, []string{
		"PUT /apis/subresources.kubevirt.io/v1/namespaces/prod/virtualmachines/web/restart",
		"GET /apis/cdi.kubevirt.io/v1beta1/namespaces/images/datasources",
		"GET /apis/cdi.kubevirt.io/v1beta1/namespaces/images/dataimportcrons",
	}, seen)
}

func TestAnswers(t *testing.T) {
	status := func(code int, reason, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			answer(w, `{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "`+reason+`", `+
				`"message": "`+message+`", "details": {"name": "web"}}`)
		}
	}
	none := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "404 page not found", http.StatusNotFound) }

	c := connected(t, status(403, "Forbidden", "not you"))
	_, err := get[kubevirtv1.VirtualMachine](t.Context(), c, machines, "prod", "web")
	require.EqualError(t, err, "permission missing: get virtualmachines.kubevirt.io in namespace prod; "+
		"a Role or ClusterRole must grant it: not you")

	c = connected(t, status(404, "NotFound", "no such VM"))
	vm, err := get[kubevirtv1.VirtualMachine](t.Context(), c, machines, "prod", "web")
	require.NoError(t, err)
	require.Nil(t, vm)

	_, err = get[kubevirtv1.VirtualMachine](t.Context(), connected(t, none), machines, "prod", "web")
	require.EqualError(t, err,
		"the cluster serves no virtualmachines.kubevirt.io of version v1 "+
			"(the server could not find the requested resource); is its operator installed?")
	require.True(t, isPermanent(err))

	err = connected(t, status(409, "Conflict", "stop/start already underway")).power(t.Context(), "prod", "web", restartVM)
	require.EqualError(t, err, "update virtualmachines/restart.subresources.kubevirt.io in namespace prod: "+
		"stop/start already underway")
	require.False(t, isPermanent(err))
}

func TestRetry(t *testing.T) {
	failures := 2
	c := connected(t, func(w http.ResponseWriter, _ *http.Request) {
		if failures--; failures >= 0 {
			http.Error(w, "etcd is away", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		answer(w, `{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataSourceList", "items": []}`)
	})
	_, err := c.Images(t.Context(), []string{"images"})
	require.NoError(t, err)

	requests := 0
	c = connected(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		http.Error(w, "no", http.StatusForbidden)
	})
	_, err = c.Images(t.Context(), []string{"images"})
	require.ErrorContains(t, err, "permission missing: list datasources.cdi.kubevirt.io in namespace images; ")
	require.Equal(t, 1, requests, "what is refused for good is not asked again")
}

func TestConnectWithoutCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := Connect("")
	require.EqualError(t, err, "not running in a cluster; name one with --kubeconfig")
}
