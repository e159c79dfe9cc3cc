package manifest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestEncodeRandom fills the fields of every rendered kind, and of others, at random, and compares with encoding/json.
func TestEncodeRandom(t *testing.T) {
	all := maps.Clone(kinds)
	all["VirtualMachineInstance"] = func() any { return new(kubevirtv1.VirtualMachineInstance) }
	all["VirtualMachineInstanceReplicaSet"] = func() any { return new(kubevirtv1.VirtualMachineInstanceReplicaSet) }
	all["VirtualMachineInstanceMigration"] = func() any { return new(kubevirtv1.VirtualMachineInstanceMigration) }
	all["KubeVirt"] = func() any { return new(kubevirtv1.KubeVirt) }
	all["CDI"] = func() any { return new(cdiv1.CDI) }
	all["DataSource"] = func() any { return new(cdiv1.DataSource) }
	all["DataImportCron"] = func() any { return new(cdiv1.DataImportCron) }
	all["StorageProfile"] = func() any { return new(cdiv1.StorageProfile) }
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		create := all[name]
		t.Run(name, func(t *testing.T) {
			for range 40 {
				v := create()
				fill(rnd, reflect.ValueOf(v).Elem(), 0.6)
				encoded, err := manifest.Encode(nil, v)
				require.NoError(t, err)
				require.True(t, json.Valid(encoded))
				if kinds[name] != nil { // the keys that may be left out are known
					requireSameMeaning(t, v, encoded)
				}
				requireSameText(t, v, encoded)
				requireYAMLEqual(t, encoded, manifest.AppendYAML(nil, encoded))
			}
		})
	}
}

// requireSameText compares with the text of encoding/json without the keys that are not in the encoded one, and with
// apiVersion before kind.
func requireSameText(t *testing.T, v any, encoded []byte) {
	t.Helper()
	var reference bytes.Buffer
	e := json.NewEncoder(&reference)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
	var kept any
	require.NoError(t, json.Unmarshal(encoded, &kept))
	require.Equal(t, prune(t, reference.Bytes(), kept), string(encoded))
}

// prune returns a compact JSON text without the keys that kept does not have.
func prune(t *testing.T, text []byte, kept any) string {
	d := json.NewDecoder(bytes.NewReader(text))
	start, err := d.Token()
	require.NoError(t, err)
	var parts []string
	next := func() (raw json.RawMessage) {
		require.NoError(t, d.Decode(&raw))
		return raw
	}
	switch kept := kept.(type) {
	case map[string]any:
		require.Equal(t, json.Delim('{'), start)
		for d.More() {
			before := d.InputOffset()
			name, err := d.Token()
			require.NoError(t, err)
			key := strings.TrimPrefix(string(text[before:d.InputOffset()]), ",")
			value := next()
			if kept, ok := kept[name.(string)]; ok {
				parts = append(parts, key+":"+prune(t, value, kept))
			}
		}
		if len(parts) > 1 && strings.HasPrefix(parts[0], `"kind":`) && strings.HasPrefix(parts[1], `"apiVersion":`) {
			parts[0], parts[1] = parts[1], parts[0]
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		require.Equal(t, json.Delim('['), start)
		for i := 0; d.More(); i++ {
			parts = append(parts, prune(t, next(), kept[i]))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return strings.TrimSpace(string(text))
}

// fill sets v to a random value; density is the probability of each optional part.
func fill(rnd *rand.Rand, v reflect.Value, density float64) {
	switch leaf := v.Addr().Interface().(type) {
	case *resource.Quantity:
		quantities := []string{"0", "1", "16Gi", "1500Mi", "100m", "1.5", "120G", "1e3", "12345678901234567890", "1u"}
		*leaf = resource.MustParse(quantities[rnd.IntN(len(quantities))])
		return
	case *intstr.IntOrString:
		*leaf = []intstr.IntOrString{{}, intstr.FromInt32(80), intstr.FromString("ssh")}[rnd.IntN(3)]
		return
	case *metav1.Time:
		*leaf = metav1.Unix(rnd.Int64N(1e9), 0)
		return
	case *metav1.FieldsV1:
		leaf.SetRawBytes([]byte(`{"f:metadata": {"f:name": {}}}`))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 256, 65536, 1 << 30}[rnd.IntN(6)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, 200, 256, 65536, 1 << 30}[rnd.IntN(6)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, -2.5, 0.25, 65536, 1 << 30}[rnd.IntN(6)])
	case reflect.String:
		v.SetString(awkward[rnd.IntN(len(awkward))])
	case reflect.Pointer:
		if rnd.Float64() < density {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rnd, v.Elem(), density*0.92)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && rnd.Float64() < density+0.2 {
				fill(rnd, v.Field(i), density*0.92)
			}
		}
	case reflect.Slice:
		if n := rnd.IntN(3); rnd.Float64() < density || v.Type().Elem().Kind() == reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(rnd, v.Index(i), density*0.8)
			}
		}
	case reflect.Map:
		if rnd.Float64() < density {
			v.Set(reflect.MakeMap(v.Type()))
			for range rnd.IntN(4) {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(rnd, key, density)
				fill(rnd, value, density*0.8)
				v.SetMapIndex(key, value)
			}
		}
	default:
		panic("cannot fill " + v.Type().String())
	}
}
