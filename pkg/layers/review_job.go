package layers

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// reviewNamespace is the namespace of the Jobs that compare approvals. It exists before any layer does.
const reviewNamespace = "default"

const rbac = "rbac.authorization.k8s.io"

// reviewJob returns the hook that fails a sync before it changes anything, unless what it would do is approved, with
// the permission to read the objects that the approval is about.
func reviewJob(name, image string, of *approval.Layer) ([]manifest.Object, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	account := map[string]any{"kind": "ServiceAccount", "name": name, "namespace": reviewNamespace}
	return newObjects([]any{
		hook("v1", "ServiceAccount", name, reviewNamespace, "-2", nil),
		hook(rbac+"/v1", "ClusterRole", name, "", "-2", map[string]any{"rules": reviewRules(of.Subjects)}),
		hook(rbac+"/v1", "ClusterRoleBinding", name, "", "-2", map[string]any{
			"roleRef": map[string]any{"apiGroup": rbac, "kind": "ClusterRole", "name": name}, "subjects": []any{account},
		}),
		hook("v1", "ConfigMap", name, reviewNamespace, "-2", map[string]any{
			"data": map[string]any{"review.json": string(text)},
		}),
		hook("batch/v1", "Job", name, reviewNamespace, "-1", map[string]any{"spec": reviewSpec(name, image)}),
	})
}

// hook returns an object that exists for a sync only, with its other fields.
func hook(apiVersion, kind, name, namespace, wave string, fields map[string]any) map[string]any {
	metadata := map[string]any{
		"name": name, "labels": map[string]any{labels.ManagedBy: labels.Manager},
		"annotations": map[string]any{
			argocd.HookAnnotation: "PreSync", argocd.HookDeletePolicyAnnotation: "BeforeHookCreation",
			argocd.SyncWaveAnnotation: wave, labels.Delivery: "argocd",
		},
	}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	out := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	maps.Copy(out, fields)
	return out
}

// reviewRules returns the permissions to read objects by name. How the resource of a custom kind is called is not known
// without the cluster, so its rule is for all resources of the group with the name.
func reviewRules(subjects []approval.Subject) []any {
	names := map[[2]string][]string{}
	var order [][2]string
	for i := range subjects {
		s := &subjects[i]
		key := [2]string{s.Group(), "*"}
		if s.Group() == "" || strings.HasSuffix(s.Group(), ".k8s.io") && !strings.Contains(s.Group(), ".cni.") {
			plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(s.APIVersion, s.Kind))
			key[1] = plural.Resource
		}
		if !slices.Contains(order, key) {
			order = append(order, key)
		}
		names[key] = append(names[key], s.Name)
	}
	slices.SortFunc(order, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	rules := make([]any, 0, len(order))
	for _, key := range order {
		slices.Sort(names[key])
		rules = append(rules, map[string]any{
			"apiGroups": []string{key[0]}, "resources": []string{key[1]}, "verbs": []string{"get"},
			"resourceNames": slices.Compact(names[key]),
		})
	}
	return rules
}

// reviewSpec returns the spec of the Job. Its pod meets the "restricted" Pod Security Standard. It fails with its
// command, except that another pod tries again if the API server was unavailable (exit status 75).
func reviewSpec(name, image string) map[string]any {
	container := map[string]any{
		"name": "vmrender", "image": image, "command": []string{"vmrender"},
		"args":                     []string{"review", "/run/review/review.json"},
		"terminationMessagePolicy": "FallbackToLogsOnError",
		"resources": map[string]any{
			"requests": map[string]any{"cpu": "20m", "memory": "64Mi"}, "limits": map[string]any{"memory": "256Mi"},
		},
		"securityContext": map[string]any{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []string{"ALL"}},
		},
		"volumeMounts": []any{map[string]any{"name": "review", "mountPath": "/run/review", "readOnly": true}},
	}
	return map[string]any{
		"backoffLimit": 3,
		"podFailurePolicy": map[string]any{"rules": []any{
			map[string]any{"action": "Ignore", "onPodConditions": []any{
				map[string]any{"type": "DisruptionTarget", "status": "True"},
			}},
			map[string]any{"action": "FailJob", "onExitCodes": map[string]any{
				"containerName": "vmrender", "operator": "In", "values": []int{1, 2},
			}},
		}},
		"template": map[string]any{"spec": map[string]any{
			"serviceAccountName": name, "restartPolicy": "Never", "containers": []any{container},
			"securityContext": map[string]any{
				"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"},
			},
			"volumes": []any{map[string]any{"name": "review", "configMap": map[string]any{"name": name}}},
		}},
	}
}
