// Package serve runs a server of admission code, which an API server calls as
// it calls the webhooks of a cluster.
package serve

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"time"
)

// InstallPath returns the List of objects that an operator would install for
// the served code.
const InstallPath = "/install"

// Run serves the handlers, by their path, over TLS, with these arguments:
//
//	--address HOST:PORT --cert FILE --key FILE
//
// The objects to install are the definitions of custom resources, and the parts
// of the webhook configurations that name one of the paths. Run returns only
// with an error.
func Run(args []string, handlers map[string]http.Handler, definitions, configurations []any) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	address := flags.String("address", "127.0.0.1:9443", "where to listen")
	cert := flags.String("cert", "", "file with the certificate")
	key := flags.String("key", "", "file with its key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := install(handlers, definitions, configurations)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for path, handler := range handlers {
		mux.Handle("POST "+path, handler)
	}
	mux.HandleFunc("GET "+InstallPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(list) //nolint:errcheck // the client has gone
	})
	server := http.Server{Addr: *address, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServeTLS(*cert, *key)
}

func install(handlers map[string]http.Handler, definitions, configurations []any) ([]byte, error) {
	items := definitions
	for _, c := range configurations {
		served, err := onlyServed(c, handlers)
		if err != nil {
			return nil, err
		}
		items = append(items, served)
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

// onlyServed removes the webhooks without a handler from a webhook configuration.
func onlyServed(configuration any, handlers map[string]http.Handler) (map[string]any, error) {
	raw, err := json.Marshal(configuration)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	var parts struct {
		Webhooks []struct {
			ClientConfig struct {
				Service struct {
					Path string `json:"path"`
				} `json:"service"`
			} `json:"clientConfig"`
		} `json:"webhooks"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, err
	}
	all, ok := object["webhooks"].([]any)
	if !ok {
		return nil, fmt.Errorf("no webhooks in %s", raw)
	}
	var served []any
	for i, webhook := range parts.Webhooks {
		if handlers[webhook.ClientConfig.Service.Path] != nil {
			served = append(served, all[i])
		}
	}
	object["webhooks"] = served
	return object, nil
}
