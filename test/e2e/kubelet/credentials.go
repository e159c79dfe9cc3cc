package kubelet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// credentials writes the files that a container finds in
// /var/run/secrets/kubernetes.io/serviceaccount, and returns their directory.
func (k *Kubelet) credentials(ctx context.Context, pod *corev1.Pod) (string, error) {
	token, err := k.token(ctx, pod)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(k.dir, string(pod.UID))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for name, content := range map[string]string{"token": token, "namespace": pod.Namespace, "ca.crt": string(k.client.CA())} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// token requests a token of the Pod's ServiceAccount.
func (k *Kubelet) token(ctx context.Context, pod *corev1.Pod) (string, error) {
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": pod.Spec.ServiceAccountName},
		"spec":     map[string]any{"expirationSeconds": int64(3600)},
	}}
	accounts := k.client.Resource(corev1.SchemeGroupVersion.WithResource("serviceaccounts")).Namespace(pod.Namespace)
	var answer *unstructured.Unstructured
	err := untilGone(ctx, func(ctx context.Context) (err error) {
		answer, err = accounts.Create(ctx, request, metav1.CreateOptions{}, "token")
		return err
	})
	if err != nil {
		return "", fmt.Errorf("token for %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	return token, err
}
