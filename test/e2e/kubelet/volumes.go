package kubelet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// volumes writes the ConfigMaps that the container of a Pod mounts, and returns a shell command that puts them where the
// container finds them. That must be below /run, which a container has to itself.
func (k *Kubelet) volumes(ctx context.Context, pod *corev1.Pod) (string, error) {
	var script strings.Builder
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		for i := range pod.Spec.Volumes {
			v := &pod.Spec.Volumes[i]
			if v.Name != mount.Name || v.ConfigMap == nil {
				continue
			}
			if !strings.HasPrefix(mount.MountPath, "/run/") {
				return "", fmt.Errorf("pod %s/%s: a ConfigMap at %s; expected a path below /run", pod.Namespace, pod.Name, mount.MountPath)
			}
			dir, err := k.configMap(ctx, pod, v.ConfigMap.Name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&script, "mkdir -p %q\ncp -r %q/. %q\n", mount.MountPath, dir, mount.MountPath)
		}
	}
	return script.String(), nil
}

// configMap writes a ConfigMap of the Pod's namespace to files, and returns their directory.
func (k *Kubelet) configMap(ctx context.Context, pod *corev1.Pod, name string) (string, error) {
	var found *unstructured.Unstructured
	err := untilGone(ctx, func(ctx context.Context) (err error) {
		found, err = k.client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(pod.Namespace).
			Get(ctx, name, metav1.GetOptions{})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("ConfigMap %s of pod %s/%s: %w", name, pod.Namespace, pod.Name, err)
	}
	dir := filepath.Join(k.dir, string(pod.UID), "volumes", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	data, _, err := unstructured.NestedStringMap(found.Object, "data")
	if err != nil {
		return "", err
	}
	for key, text := range data {
		if err := os.WriteFile(filepath.Join(dir, key), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}
