package policies_test

import (
	"context"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/pki"
	"github.com/vmrender/vmrender/test/e2e/process"
)

const poolAddress = "127.0.0.1:9445"

// startKubeMacPool serves a substitute for KubeMacPool's webhook of VMs. The
// API server calls it in all namespaces that do not opt out.
func startKubeMacPool(ctx context.Context) error {
	dir := filepath.Join(lab.Dir, "kubemacpool")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	authority, err := pki.New(dir, "127.0.0.1")
	if err != nil {
		return err
	}
	pair, err := authority.Issue("webhook", pkix.Name{CommonName: "kubemacpool"})
	if err != nil {
		return err
	}
	quiet := log.New(io.Discard, "", 0) // for clients that only check whether it listens
	server := http.Server{Addr: poolAddress, Handler: new(pool), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	go server.ListenAndServeTLS(pair.Cert, pair.Key) //nolint:errcheck // it ends with the process
	if err := process.Poll(ctx, process.Listens(poolAddress)); err != nil {
		return err
	}
	configuration, err := yaml.Marshal(webhook(authority.PEM))
	if err != nil {
		return err
	}
	objects, err := cluster.Objects(configuration)
	if err != nil {
		return err
	}
	return lab.Install(ctx, objects)
}

func webhook(authority []byte) map[string]any {
	const label = "mutatevirtualmachines.kubemacpool.io"
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   map[string]any{"name": "kubemacpool-mutator"},
		"webhooks": []any{map[string]any{
			"name": label, "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
			"clientConfig": map[string]any{"url": "https://" + poolAddress, "caBundle": authority},
			"namespaceSelector": map[string]any{"matchExpressions": []any{
				map[string]any{"key": label, "operator": "NotIn", "values": []any{"ignore"}},
			}},
			"rules": []any{map[string]any{
				"apiGroups": []any{"kubevirt.io"}, "apiVersions": []any{"v1"},
				"operations": []any{"CREATE", "UPDATE"}, "resources": []any{"virtualmachines"},
			}},
		}},
	}
}

// pool assigns addresses from 02:00:00:00:00:01 on to interfaces without one,
// and never takes one back.
type pool struct{ given atomic.Uint32 }

func (p *pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	patch, err := p.patch(review.Request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	kind := admissionv1.PatchTypeJSONPatch
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, Patch: patch, PatchType: &kind}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// interfaces are the interfaces of a VM, with their addresses by name.
type interfaces []struct{ Name, MacAddress string }

func (p *pool) patch(request *admissionv1.AdmissionRequest) ([]byte, error) {
	wanted, err := readInterfaces(request.Object.Raw)
	if err != nil {
		return nil, err
	}
	before, err := readInterfaces(request.OldObject.Raw)
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, i := range before {
		given[i.Name] = i.MacAddress
	}
	operations := []map[string]any{}
	for index, i := range wanted {
		if i.MacAddress != "" {
			continue
		}
		address := given[i.Name]
		if address == "" {
			n := p.given.Add(1)
			address = fmt.Sprintf("02:00:00:%02x:%02x:%02x", byte(n>>16), byte(n>>8), byte(n))
		}
		path := fmt.Sprintf("/spec/template/spec/domain/devices/interfaces/%d/macAddress", index)
		operations = append(operations, map[string]any{"op": "add", "path": path, "value": address})
	}
	return json.Marshal(operations)
}

func readInterfaces(machine []byte) (interfaces, error) {
	if len(machine) == 0 {
		return nil, nil
	}
	var vm struct {
		Spec struct {
			Template struct {
				Spec struct {
					Domain struct {
						Devices struct{ Interfaces interfaces }
					}
				}
			}
		}
	}
	err := json.Unmarshal(machine, &vm)
	return vm.Spec.Template.Spec.Domain.Devices.Interfaces, err
}
