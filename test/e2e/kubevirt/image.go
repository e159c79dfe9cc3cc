package kubevirt

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// provideImages creates the golden images that a VM's disks are cloned from, as
// a cluster has them. KubeVirt resolves them when it creates the disks
// (pkg/storage/types/dv.go, GenerateDataVolumeFromTemplate).
func (s *stage) provideImages(ctx context.Context, vm *unstructured.Unstructured) error {
	for _, t := range nested[[]any](vm, "spec", "dataVolumeTemplates") {
		template := &unstructured.Unstructured{Object: t.(map[string]any)} //nolint:forcetypeassert // as the schema says
		namespace, name := nested[string](template, "spec", "sourceRef", "namespace"), nested[string](template, "spec", "sourceRef", "name")
		if name == "" {
			continue
		}
		if namespace == "" {
			namespace = vm.GetNamespace()
		} else if err := s.provide(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", namespace, nil); err != nil {
			return err
		}
		source := map[string]any{"pvc": map[string]any{"namespace": namespace, "name": name}}
		err := s.provide(ctx, DataVolumes.GroupVersion().WithKind("DataSource"), namespace, name, map[string]any{
			"spec": map[string]any{"source": source},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
