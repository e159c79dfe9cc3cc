package adopt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	keptVM = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  {name: a, namespace: prod, labels: {vmrender.io/rollout: shop},
   annotations: {argocd.argoproj.io/sync-options: "Prune=false,Delete=confirm", vmrender.io/lifecycle: pet}}
`
	looseVM = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: b, namespace: prod, annotations: {argocd.argoproj.io/sync-options: Prune=confirm}}
`
	jobs = `---
{apiVersion: batch/v1, kind: Job, metadata: {name: run, namespace: prod}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: before, namespace: prod, annotations: {argocd.argoproj.io/hook: PreSync}}
`
	service = "---\n{apiVersion: v1, kind: Service, metadata: {name: s, namespace: prod}}\n"
	secret  = "---\n{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: prod}}\n"
)

func TestRelease(t *testing.T) {
	const check = ` --output custom-columns='KIND:.kind,NAME:.metadata.name,` +
		`OPTIONS:.metadata.annotations.argocd\.argoproj\.io/sync-options'`
	elsewhere := strings.Replace(looseVM, "prod", "test", 1)
	tests := map[string]struct {
		fleet []Leaving
		want  [][]string // the lines for each step
	}{
		"kept already": {
			[]Leaving{{Name: "prod/a", Entry: "vms.a", Where: "vms.yaml:2", Objects: objectsOf(t, keptVM+jobs)}},
			[][]string{
				{"kubectl get --namespace prod virtualmachine/a" + check},
				{"vms.yaml:2: vms.a", "plan"},
				{
					"kubectl annotate --namespace prod virtualmachine/a argocd.argoproj.io/tracking-id- vmrender.io/lifecycle-",
					"kubectl label --namespace prod virtualmachine/a app.kubernetes.io/instance- " +
						"app.kubernetes.io/managed-by- vmrender.io/rollout-",
				},
				nil,
			},
		},
		"two replicas that are not kept, with a Service and a Secret": {
			[]Leaving{
				{Name: "prod/b", Entry: "vms.b", Where: "vms.yaml:2", Objects: objectsOf(t, looseVM+service+secret)},
				{Name: "test/b", Entry: "vms.b", Where: "vms.yaml:2", Objects: objectsOf(t, elsewhere)},
			},
			[][]string{
				{"vms.yaml:2: vms.b: {lifecycle: {removal: denied}}"},
				{"kubectl annotate --namespace prod service/s argocd.argoproj.io/sync-options=Prune=false"},
				{
					"kubectl get --namespace prod virtualmachine/b service/s secret/c" + check,
					"kubectl get --namespace test virtualmachine/b" + check,
				},
				{"vms.yaml:2: vms.b", "plan"},
				{
					"kubectl annotate --namespace prod virtualmachine/b service/s secret/c argocd.argoproj.io/tracking-id-",
					"kubectl annotate --namespace test virtualmachine/b argocd.argoproj.io/tracking-id-",
					"kubectl label --namespace prod virtualmachine/b service/s secret/c " +
						"app.kubernetes.io/instance- app.kubernetes.io/managed-by-",
					"kubectl label --namespace test virtualmachine/b app.kubernetes.io/instance- app.kubernetes.io/managed-by-",
				},
				nil,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			steps, err := Release(test.fleet, "plan")
			require.NoError(t, err)
			var lines [][]string
			for _, s := range steps {
				lines = append(lines, s.Lines)
			}
			require.Equal(t, test.want, lines)
		})
	}
}

func TestReleaseRefuses(t *testing.T) {
	green := strings.Replace(keptVM, "vmrender.io/lifecycle: pet", "vmrender.io/strategy: blue-green", 1)
	steps, err := Release([]Leaving{
		{Name: "prod/a", Objects: objectsOf(t, green)},
		{Name: "prod/b", Objects: objectsOf(t, looseVM)},
		{Name: "c", Objects: objectsOf(t, green)},
	}, "plan")
	require.Empty(t, steps)
	require.ErrorContains(t, err, "prod/a: under `strategy: blue-green`")
	require.ErrorContains(t, err, "\nc: under `strategy: blue-green`", "all at once")

	replaced := strings.Replace(looseVM, "Prune=confirm", `"Force=true,Replace=true"`, 1)
	_, err = Release([]Leaving{{Name: "prod/b", Objects: objectsOf(t, replaced)}}, "plan")
	require.ErrorContains(t, err, "prod/b: under `strategy: replace` every change recreates it")
	replaced = strings.Replace(looseVM, "Prune=confirm", `"Prune=false,Force=true,Replace=true"`, 1)
	_, err = Release([]Leaving{{Name: "prod/b", Objects: objectsOf(t, replaced)}}, "plan")
	require.NoError(t, err)
}
