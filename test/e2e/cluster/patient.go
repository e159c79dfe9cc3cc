package cluster

import (
	"io"
	"net/http"
)

// patient repeats requests that the API server had no time for. It ends a request after 34 seconds, which is not much
// on a computer that runs several control planes (k8s.io/apiserver v0.36, pkg/endpoints/handlers/rest.go,
// requestTimeoutUpperBound). Clients repeat only requests that it refuses before it starts with them.
type patient struct{ http.RoundTripper }

// RoundTrip sends the request. One that creates an object by POST is not repeated, because it may have been done.
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		response, err := p.RoundTripper.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusGatewayTimeout || r.Method == http.MethodPost || r.Context().Err() != nil {
			return response, err
		}
		if r.Body != nil {
			body, err := r.GetBody()
			if err != nil {
				return response, nil //nolint:nilerr // the response is complete
			}
			r = r.Clone(r.Context())
			r.Body = body
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}
