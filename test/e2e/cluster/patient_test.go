package cluster

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request that the API server had no time for is sent again, with its body, unless it may have created an object.
func TestRequestsAreRepeated(t *testing.T) {
	for method, want := range map[string][]string{
		http.MethodPatch:  {"object", "object", "object"},
		http.MethodDelete: {"", "", ""},
		http.MethodPost:   {"object"},
	} {
		t.Run(method, func(t *testing.T) {
			var bodies []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				if bodies = append(bodies, string(body)); len(bodies) < 3 {
					w.WriteHeader(http.StatusGatewayTimeout)
				}
			}))
			defer server.Close()
			var body io.Reader
			if want[0] != "" {
				body = strings.NewReader(want[0])
			}
			request, err := http.NewRequestWithContext(t.Context(), method, server.URL, body)
			require.NoError(t, err)
			response, err := patient{http.DefaultTransport}.RoundTrip(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, want, bodies)
			require.Equal(t, method == http.MethodPost, response.StatusCode == http.StatusGatewayTimeout)
		})
	}
}
