package manifest_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// kinds are the rendered types.
var kinds = map[string]func() any{
	"VirtualMachine":         func() any { return new(kubevirtv1.VirtualMachine) },
	"VirtualMachinePool":     func() any { return new(poolv1.VirtualMachinePool) },
	"VirtualMachineSnapshot": func() any { return new(snapshotv1.VirtualMachineSnapshot) },
	"DataVolume":             func() any { return new(cdiv1.DataVolume) },
	"Secret":                 func() any { return new(corev1.Secret) },
	"ConfigMap":              func() any { return new(corev1.ConfigMap) },
	"Service":                func() any { return new(corev1.Service) },
	"Job":                    func() any { return new(batchv1.Job) },
}

// typed decodes a manifest into the type of its kind; unknown fields fail.
func typed(t testing.TB, text []byte) any {
	t.Helper()
	var meta metav1.TypeMeta
	require.NoError(t, yaml.Unmarshal(text, &meta))
	require.Contains(t, kinds, meta.Kind)
	v := kinds[meta.Kind]()
	require.NoError(t, yaml.UnmarshalStrict(text, v))
	return v
}

func TestObjectsGolden(t *testing.T) {
	inputs(t, "objects/*.in.yaml", func(t *testing.T, name string, text []byte) {
		v := typed(t, text)
		encoded, err := manifest.Encode(nil, v)
		require.NoError(t, err)
		require.Regexp(t, `^\{"apiVersion":"[^"]+","kind":"[^"]+","metadata":`, string(encoded))
		requireSameMeaning(t, v, encoded)

		inYAML := manifest.AppendYAML(nil, encoded)
		requireYAMLEqual(t, encoded, inYAML)
		again, err := manifest.Encode(nil, typed(t, inYAML))
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(again), "reading the output and writing it again changes it")
		golden.Equal(t, goldenOf(name, "json"), string(encoded)+"\n")
		golden.Equal(t, goldenOf(name, "yaml"), string(inYAML))
	})
}

// requireSameMeaning compares with encoding/json: values in the text must be equal.
// Values that are not in it must be null, an empty struct, or a zero leaf marked
// omitempty. The API server decodes both to the same object.
func requireSameMeaning(t *testing.T, v any, encoded []byte) {
	t.Helper()
	reference, err := json.Marshal(v)
	require.NoError(t, err)
	var want, got any
	require.NoError(t, json.Unmarshal(reference, &want))
	require.NoError(t, json.Unmarshal(encoded, &got))
	requireSubset(t, "", want, got)

	fromReference, fromEncoded := reflect.New(reflect.TypeOf(v).Elem()), reflect.New(reflect.TypeOf(v).Elem())
	require.NoError(t, json.Unmarshal(reference, fromReference.Interface()))
	require.NoError(t, json.Unmarshal(encoded, fromEncoded.Interface()))
	requireJSONEqual(t, fromReference.Interface(), fromEncoded.Interface())
}

// requireJSONEqual compares both as encoding/json writes them. Nil and empty lists are
// the same there if they are the same to the API server.
func requireJSONEqual(t *testing.T, want, got any) {
	t.Helper()
	wantText, err := json.Marshal(want)
	require.NoError(t, err)
	gotText, err := json.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, string(wantText), string(gotText))
}

func requireSubset(t *testing.T, path string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		require.True(t, ok, path)
		for key, value := range want {
			if kept, ok := got[key]; ok {
				require.NotNil(t, kept, path+"."+key)
				requireSubset(t, path+"."+key, value, kept)
			} else {
				require.True(t, isNoise(key, value), "%s.%s: %v was left out", path, key, value)
			}
		}
		for key := range got {
			require.Contains(t, want, key, path)
		}
	case []any:
		got, ok := got.([]any)
		require.True(t, ok, path)
		require.Len(t, got, len(want), path)
		for i := range want {
			requireSubset(t, path+"[]", want[i], got[i])
		}
	default:
		require.Equal(t, want, got, path)
	}
}

// isNoise identifies the keys by name, not by type, like a reader of manifests.
func isNoise(key string, value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for k, v := range value {
			if !isNoise(k, v) {
				return false
			}
		}
		return key == "metadata" || key == "spec" || key == "status" || key == "resources" || key == "loadBalancer"
	case string:
		return (key == "divisor" || key == "capacity") && value == "0"
	case float64:
		return key == "targetPort" && value == 0
	}
	return false
}

// TestOmittedStructs lists all struct fields that are omitted if empty. A new one in the
// KubeVirt or CDI types must be reviewed first, because its empty value may have a
// meaning (see keptEmpty). Times are not listed, because an empty one is null.
func TestOmittedStructs(t *testing.T) {
	omitted, required := map[string]bool{}, map[string]bool{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			walk(t.Elem())
			return
		}
		if t.Kind() != reflect.Struct || seen[t] || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			return
		}
		seen[t] = true
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.Struct && name != "" && f.Type != reflect.TypeFor[metav1.Time]() {
				field := t.Name() + "." + name + " " + f.Type.Name()
				if strings.Contains(options, "omitempty") {
					omitted[field] = true
				} else {
					required[field] = true
				}
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[kubevirtv1.VirtualMachine]())
	walk(reflect.TypeFor[cdiv1.DataVolume]())

	require.Equal(t, set(
		"Features.acpi FeatureState", // the exception: nothing set means enabled
		"VirtualMachine.metadata ObjectMeta", "VirtualMachineInstanceTemplateSpec.metadata ObjectMeta",
		"DataVolumeTemplateSpec.metadata ObjectMeta", "DataVolume.metadata ObjectMeta",
		"VirtualMachineInstanceTemplateSpec.spec VirtualMachineInstanceSpec", // never empty: domain is required
		"DomainSpec.resources ResourceRequirements",
		"PersistentVolumeClaimSpec.resources VolumeResourceRequirements", "StorageSpec.resources VolumeResourceRequirements",
		"HostDisk.capacity Quantity", "ResourceFieldSelector.divisor Quantity", // 0 means not given
		"VirtualMachine.status VirtualMachineStatus", "DataVolume.status DataVolumeStatus",
	), omitted)
	require.Equal(t, set(
		"VirtualMachine.spec VirtualMachineSpec",
		"DataVolume.spec DataVolumeSpec", "DataVolumeTemplateSpec.spec DataVolumeSpec",
		"VirtualMachineInstanceSpec.domain DomainSpec",
		"DomainSpec.devices Devices",                          // {} is a VM without devices
		"PreferredSchedulingTerm.preference NodeSelectorTerm", // {} matches no node
		"WeightedPodAffinityTerm.podAffinityTerm PodAffinityTerm",
		// Exactly one of their fields must be set.
		"SSHPublicKeyAccessCredential.source SSHPublicKeyAccessCredentialSource",
		"SSHPublicKeyAccessCredential.propagationMethod SSHPublicKeyAccessCredentialPropagationMethod",
		"UserPasswordAccessCredential.source UserPasswordAccessCredentialSource",
		"UserPasswordAccessCredential.propagationMethod UserPasswordAccessCredentialPropagationMethod",
		"EmptyDiskSource.capacity Quantity", "HTTPGetAction.port IntOrString", "TCPSocketAction.port IntOrString",
	), required)
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

func TestEncodeNoise(t *testing.T) {
	type empty struct{}
	type inner struct {
		A string `json:"a,omitempty"`
	}
	type Embedded struct {
		E int `json:"e"`
	}
	type PointedTo struct {
		P int `json:"p"`
	}
	type all struct {
		Dropped inner `json:"dropped,omitempty"`
		Nested  struct {
			I inner `json:"i,omitempty"`
		} `json:"nested,omitempty"`
		Required inner             `json:"required"`
		Choice   *empty            `json:"choice,omitempty"`
		NilPtr   *empty            `json:"nilPtr"`
		NilList  []int             `json:"nilList"`
		List     []int             `json:"list"`
		NilMap   map[string]int    `json:"nilMap"`
		Map      map[string]*empty `json:"map"`
		Any      any               `json:"any"`
		NilTime  *metav1.Time      `json:"nilTime"`
		Time     metav1.Time       `json:"time"`
		Zero     int               `json:"zero,omitzero"`
		Kept     int               `json:"kept"`
		Hidden   int               `json:"-"`
		Dash     int               `json:"-,"` //nolint:staticcheck // encoding/json takes it for the key "-"
		Untagged int
		Embedded
		*PointedTo
	}
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"all empty", all{}, `{"required":{},"kept":0,"-":0,"Untagged":0,"e":0}`},
		{"all set", &all{
			Choice: &empty{}, List: []int{}, Map: map[string]*empty{"b": {}, "a": {}, "nil": nil},
			Any: map[string]any{"x": nil, "y": []any{nil, 1.5, "s"}}, Hidden: 1, PointedTo: &PointedTo{},
		}, `{"required":{},"choice":{},"list":[],"map":{"a":{},"b":{}},"any":{"y":[null,1.5,"s"]},` +
			`"kept":0,"-":0,"Untagged":0,"e":0,"p":0}`},
		{"features without acpi", &kubevirtv1.Features{}, `{"acpi":{}}`},
		{"acpi off", &kubevirtv1.Features{ACPI: kubevirtv1.FeatureState{Enabled: new(bool)}}, `{"acpi":{"enabled":false}}`},
		{"domain", &kubevirtv1.DomainSpec{}, `{"devices":{}}`},
		{"nil", nil, `null`},
		{"nil pointer", (*all)(nil), `null`},
		{"html", map[string]string{"k": "<a>&\u2028"}, `{"k":"<a>&\u2028"}`},
		{"bytes", corev1.Secret{Data: map[string][]byte{"k": {0, 255}}}, `{"data":{"k":"AP8="}}`},
		{"nil bytes are no bytes", corev1.Secret{Data: map[string][]byte{"k": nil}}, `{"data":{"k":""}}`},
		{"duration", metav1.Duration{Duration: 90 * time.Second}, `"1m30s"`},
		{"quantity in an interface", []any{resource.MustParse("1024Mi")}, `["1Gi"]`},
		{"raw", json.RawMessage("{ \"a\" : 1 }"), `{"a":1}`},
		{
			"numbers",
			[]any{json.Number("12345678901234567890"), json.Number("1.0"), 1e21, 1e-7, uint8(3)},
			`[12345678901234567890,1,1e+21,1e-07,3]`,
		},
		{"array", [2]bool{true}, `[true,false]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := manifest.Encode([]byte("x"), test.v)
			require.NoError(t, err)
			require.Equal(t, "x"+test.want, string(got))
		})
	}
}

// TestEncodeKeepsQuantity checks that encoding does not change a Quantity, whose String
// method stores its result in it.
func TestEncodeKeepsQuantity(t *testing.T) {
	q := resource.MustParse("16Gi")
	before := q
	_, err := manifest.Encode(nil, &q)
	require.NoError(t, err)
	require.True(t, reflect.DeepEqual(before, q), "the value was changed by writing it")
}

type recursive struct {
	Name  string      `json:"name"`
	Items []recursive `json:"items,omitempty"`
	Next  *recursive  `json:"next,omitempty"`
}

func TestEncodeRecursiveType(t *testing.T) {
	v := recursive{Name: "a", Items: []recursive{{Name: "b"}}, Next: &recursive{Name: "c"}}
	got, err := manifest.Encode(nil, v)
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"a","items":[{"name":"b"}],"next":{"name":"c"}}`, string(got))
}

func TestEncodeErrors(t *testing.T) {
	type Inlined struct {
		A int `json:"a"`
	}
	tests := map[string]struct {
		v    any
		want string
	}{
		"nan":     {[]float64{math.NaN()}, "encoding []float64: NaN is not a JSON number"},
		"channel": {struct{ C chan int }{}, "encoding struct { C chan int }: a chan int cannot be written as JSON"},
		"key":     {map[int]string{}, "encoding map[int]string: map[int]string has keys that are not strings"},
		"raw": {
			json.RawMessage("{"),
			"encoding json.RawMessage: the JSON of json.RawMessage: unexpected end of JSON input",
		},
		"number": {json.Number("x"), `encoding json.Number: "x" is not a JSON number`},
		"collides": {struct {
			Inlined
			B int `json:"a"`
		}{}, `declares the key "a" twice`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Encode([]byte("kept"), test.v)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, "kept", string(got))
		})
	}
}

// FuzzString compares encoded strings with those of encoding/json byte for byte.
func FuzzString(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(map[string]string{"k" + s: s}))
		got, err := manifest.Encode(nil, map[string]string{"k" + s: s})
		require.NoError(t, err)
		require.Equal(t, want.String(), string(got)+"\n")
	})
}
