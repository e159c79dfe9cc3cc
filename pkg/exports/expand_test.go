package exports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// openshiftTemplate contains the same elements as the templates of common-templates.
const openshiftTemplate = `apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: rhel9-server-small, namespace: openshift}
labels: {team: "${TEAM}"}
parameters:
- {name: NAME, generate: expression, from: "rhel9-[a-z0-9]{16}"}
- {name: CORES, value: "2"}
- {name: TEAM}
- {name: PASSWORD, required: true}
- {name: UNUSED, required: true}
objects:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata: {name: "${NAME}", namespace: fixed, labels: {app: "${NAME}", team: none}}
  spec:
    template:
      spec:
        domain: {cpu: {cores: "${{CORES}}"}}
        volumes:
        - name: cloudinit
          cloudInitNoCloud: {userData: "password: ${PASSWORD}, ${CORES} cores"}
`

const kubevirtTemplate = `apiVersion: template.kubevirt.io/v1alpha1
kind: VirtualMachineTemplate
metadata: {name: fedora, namespace: golden}
spec:
  parameters:
  - {name: NAME, required: true}
  - {name: PREFERENCE, value: fedora}
  - {name: NAMESPACE, value: prod}
  virtualMachine:
    metadata: {name: "${NAME}-${NAME}", namespace: "${NAMESPACE}"}
    spec: {preference: {name: "${PREFERENCE}"}}
`

func read(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Read(strings.NewReader(text))
	require.NoError(t, err)
	return objects
}

func TestExpand(t *testing.T) {
	const plainVM = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: plain, namespace: prod}\n"
	const plainJSON = `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine",` +
		`"metadata":{"name":"plain","namespace":"prod"}}`
	tests := map[string]struct {
		text   string
		params map[string]string
		want   []string // JSON
	}{
		"no template": {
			text: plainVM,
			want: []string{plainJSON},
		},
		"a List": {
			text: "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n",
			want: []string{`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`},
		},
		"an OpenShift template": {
			text:   openshiftTemplate,
			params: map[string]string{"NAME": "web01", "PASSWORD": "p", "CORES": "4"},
			want: []string{`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine",` +
				`"metadata":{"labels":{"app":"web01","team":""},"name":"web01"},` +
				`"spec":{"template":{"spec":{"domain":{"cpu":{"cores":4}},` +
				`"volumes":[{"cloudInitNoCloud":{"userData":"password: p, 4 cores"},"name":"cloudinit"}]}}}}`},
		},
		"KubeVirt's template, after another object": {
			text:   plainVM + "---\n" + kubevirtTemplate,
			params: map[string]string{"NAME": "db"},
			want: []string{
				plainJSON,
				`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"db-db","namespace":"prod"},` +
					`"spec":{"preference":{"name":"fedora"}}}`,
			},
		},
		"two templates with the same parameter": {
			text:   kubevirtTemplate + "---\n" + strings.Replace(kubevirtTemplate, "name: fedora,", "name: other,", 1),
			params: map[string]string{"NAME": "a", "PREFERENCE": ""},
			want: []string{
				`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a-a","namespace":"prod"},` +
					`"spec":{"preference":{"name":""}}}`,
				`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a-a","namespace":"prod"},` +
					`"spec":{"preference":{"name":""}}}`,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, problems := Expand(read(t, test.text), test.params)
			require.Empty(t, problems)
			var texts []string
			for _, o := range got {
				require.Equal(t, manifest.Identify(o.JSON), o.ID)
				texts = append(texts, string(o.JSON))
			}
			require.Equal(t, test.want, texts)
		})
	}
}

func TestExpandProblems(t *testing.T) {
	tests := map[string]struct {
		text   string
		params map[string]string
		want   []string
	}{
		"all of the values that are missing, and those of no template": {
			text: openshiftTemplate, params: map[string]string{"NAMES": "x"},
			want: []string{
				`no template has the parameter "NAMES"; did you mean "NAME"?`,
				"Template openshift/rhel9-server-small: parameters[NAME]: " +
					"the template generates another value each time; specify the one of the VM: --param NAME=VALUE",
				"Template openshift/rhel9-server-small: parameters[PASSWORD]: " +
					"the template has no default; specify the one of the VM: --param PASSWORD=VALUE",
			},
		},
		"no template at all": {
			params: map[string]string{"NAME": "x"},
			want:   []string{`no template has the parameter "NAME"`},
		},
		"a parameter that is not declared": {
			text:   strings.Replace(kubevirtTemplate, "${PREFERENCE}", "${PREFER}", 1),
			params: map[string]string{"NAME": "x"},
			want: []string{"VirtualMachineTemplate golden/fedora: spec.parameters[PREFER]: " +
				"an object uses this parameter, and the template does not declare it; add it to the template"},
		},
		"an object that is too large": {
			text:   kubevirtTemplate,
			params: map[string]string{"NAME": strings.Repeat("x", maxObject)},
			want: []string{"VirtualMachineTemplate golden/fedora: object 1: " +
				"larger than 4 MiB, which Kubernetes does not store"},
		},
		"no objects": {
			text: "apiVersion: v1\nkind: Template\nmetadata: {name: a}\nobjects: [b, {kind: VirtualMachine}]\n",
			want: []string{
				"Template a: object 1: not an object; an object is a map with apiVersion, kind and metadata.name",
				"Template a: object 2: every object has apiVersion, kind and metadata.name",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, problems := Expand(read(t, test.text), test.params)
			require.Empty(t, got)
			var texts []string
			for _, p := range problems {
				texts = append(texts, p.String())
			}
			require.Equal(t, test.want, texts)
		})
	}
}
