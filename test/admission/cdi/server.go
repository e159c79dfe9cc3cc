package cdi

import (
	"fmt"
	"net/http"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"kubevirt.io/containerized-data-importer/pkg/operator/resources"
	"sigs.k8s.io/yaml"
)

// validatePath is the path of cdi-apiserver's validating webhook for
// DataVolumes (CDI v1.65.0, pkg/apiserver/apiserver.go).
const validatePath = "/datavolume-validate"

// Handlers returns the webhooks for DataVolumes by path. It leaves out the
// mutating one, which only asks a cluster whether a clone is permitted.
func (w *Webhook) Handlers() map[string]http.Handler {
	return map[string]http.Handler{validatePath: w.handler}
}

// Configuration returns the configuration of the validating webhook, as
// cdi-operator installs it (CDI v1.65.0,
// pkg/operator/resources/cluster/apiserver.go).
func Configuration() *admissionregistrationv1.ValidatingWebhookConfiguration {
	path, sideEffects := validatePath, admissionregistrationv1.SideEffectClassNone
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: "cdi-api-datavolume-validate"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "datavolume-validate.cdi.kubevirt.io",
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule: admissionregistrationv1.Rule{
					APIGroups:   []string{cdiv1.SchemeGroupVersion.Group},
					APIVersions: []string{cdiv1.SchemeGroupVersion.Version},
					Resources:   []string{"datavolumes"},
				},
			}},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				Service: &admissionregistrationv1.ServiceReference{Namespace: "cdi", Name: "cdi-api", Path: &path},
			},
			SideEffects:             &sideEffects,
			AdmissionReviewVersions: []string{"v1", "v1beta1"},
		}},
	}
}

// Definitions returns the CustomResourceDefinitions that cdi-operator installs.
func Definitions() ([]any, error) {
	definitions := make([]any, 0, len(resources.CDICRDs))
	for name, text := range resources.CDICRDs {
		var definition map[string]any
		if err := yaml.Unmarshal([]byte(text), &definition); err != nil {
			return nil, fmt.Errorf("reading the definition of %s: %w", name, err)
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}
