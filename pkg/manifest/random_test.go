package manifest_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestEncodeRandom fills the fields of every rendered kind at random.
func TestEncodeRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, create := range kinds {
		t.Run(name, func(t *testing.T) {
			for range 40 {
				v := create()
				fill(rnd, reflect.ValueOf(v).Elem(), 0.6)
				encoded, err := manifest.Encode(nil, v)
				require.NoError(t, err)
				require.True(t, json.Valid(encoded))
				requireSameMeaning(t, v, encoded)
				requireYAMLEqual(t, encoded, manifest.AppendYAML(nil, encoded))
			}
		})
	}
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
