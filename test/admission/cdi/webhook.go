package cdi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	snapshotfake "github.com/kubernetes-csi/external-snapshotter/client/v6/clientset/versioned/fake"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"kubevirt.io/containerized-data-importer/pkg/apiserver/webhooks"
	cdifake "kubevirt.io/containerized-data-importer/pkg/client/clientset/versioned/fake"
	runtimefake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Webhook judges the creation and change of DataVolumes as cdi-apiserver does on an
// otherwise empty cluster. It is safe for concurrent use.
type Webhook struct {
	handler http.Handler
}

// NewWebhook returns CDI's validating webhook with clients of an empty cluster.
func NewWebhook() (*Webhook, error) {
	if err := silence(); err != nil {
		return nil, err
	}
	return &Webhook{webhooks.NewDataVolumeValidatingWebhook(
		kubernetesfake.NewSimpleClientset(),
		cdifake.NewSimpleClientset(),
		snapshotfake.NewSimpleClientset(),
		runtimefake.NewClientBuilder().Build(),
	)}, nil
}

// silence turns off the log line that the webhook writes for each refusal.
func silence() error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		return fmt.Errorf("silencing klog: %w", err)
	}
	klog.SetOutput(io.Discard)
	return nil
}

// Problems returns the reasons why CDI refuses to create the DataVolume.
func (w *Webhook) Problems(o object.Object) []string { return w.problems(review(o)) }

// ChangeProblems returns the reasons why CDI refuses to change one DataVolume into another.
func (w *Webhook) ChangeProblems(from, to object.Object) []string {
	r := review(to)
	r.Request.Operation, r.Request.OldObject = admissionv1.Update, runtime.RawExtension{Raw: from.JSON}
	return w.problems(r)
}

func (w *Webhook) problems(review admissionv1.AdmissionReview) []string {
	response, err := w.ask(review)
	if err != nil {
		return []string{err.Error()}
	}
	if response.Allowed {
		return nil
	}
	if response.Result == nil {
		return []string{"refused without a reason"}
	}
	if details := response.Result.Details; details != nil && len(details.Causes) > 0 {
		return lines(details.Causes)
	}
	return []string{response.Result.Message}
}

// ask sends the AdmissionReview as an API server would send it.
func (w *Webhook) ask(review admissionv1.AdmissionReview) (*admissionv1.AdmissionResponse, error) {
	body, err := json.Marshal(review)
	if err != nil {
		return nil, fmt.Errorf("writing review: %w", err)
	}
	request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, request)

	var reviewed admissionv1.AdmissionReview
	if err := json.Unmarshal(answer.Body.Bytes(), &reviewed); err != nil {
		return nil, fmt.Errorf("reading review, status %d: %w", answer.Code, err)
	}
	if reviewed.Response == nil {
		return nil, fmt.Errorf("reading review, status %d: no response", answer.Code)
	}
	return reviewed.Response, nil
}

func review(o object.Object) admissionv1.AdmissionReview {
	return admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:       "1",
			Resource:  metav1.GroupVersionResource(cdiv1.SchemeGroupVersion.WithResource("datavolumes")),
			Operation: admissionv1.Create,
			Namespace: o.Namespace,
			Name:      o.Name,
			Object:    runtime.RawExtension{Raw: o.JSON},
		},
	}
}

func lines(causes []metav1.StatusCause) []string {
	problems := make([]string, 0, len(causes))
	for _, c := range causes {
		problems = append(problems, c.Field+": "+c.Message)
	}
	return problems
}
