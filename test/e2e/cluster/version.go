package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// versionedAddress is where the API server is served with another version.
const versionedAddress = "127.0.0.1:6444"

// Pretend makes the cluster report another version of Kubernetes, such as v1.33.5, to all
// clients with the kubeconfig. The API remains that of the real version.
func (c *Cluster) Pretend(ctx context.Context, version string) error {
	pair, err := c.Certificate("kube-apiserver-" + version)
	if err != nil {
		return err
	}
	proxy, err := c.versioned(version)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", versionedAddress)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: whole(proxy), TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13}}
	go server.ServeTLS(listener, pair.Cert, pair.Key) //nolint:errcheck // it ends with the test
	c.proxy = server

	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err != nil {
		return err
	}
	for _, known := range config.Clusters {
		known.Server = "https://" + versionedAddress
	}
	c.Kubeconfig += "-" + version
	return clientcmd.WriteToFile(*config, c.Kubeconfig)
}

// whole reads a request to its end before it passes it on. Otherwise a response that does
// not wait for the end, such as that for an unknown kind, ends the request in neither of the
// two connections. A client that uses HTTP/2 stops sending a refused request, and the proxy
// waits for the rest before it ends its response.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(content))
		next.ServeHTTP(w, r)
	})
}

// versioned passes on everything to the API server, with the client's permissions, and
// changes the version in its response.
func (c *Cluster) versioned(version string) (http.Handler, error) {
	target, err := url.Parse(c.config.Host)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(c.config)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // watches
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			switch {
			case r.Request.URL.Path == "/version":
				return setVersion(r, version)
			case watchesDefinitions(r.Request):
				r.Body = served(r.Body)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				http.Error(w, err.Error(), http.StatusBadGateway)
			}
		},
	}, nil
}

func setVersion(r *http.Response, version string) error {
	var info map[string]any
	if err := json.NewDecoder(r.Body).Decode(&info); err != nil {
		return err
	}
	info["gitVersion"] = version
	if number := strings.Split(strings.TrimPrefix(version, "v"), "."); len(number) > 1 {
		info["major"], info["minor"] = number[0], number[1] // the ones that Argo CD uses
	}
	text, err := json.Marshal(info)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	r.ContentLength = int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}
