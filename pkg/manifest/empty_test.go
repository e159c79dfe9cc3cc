package manifest

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmptiness compares the check for empty values with reflection.
func TestEmptiness(t *testing.T) {
	type all struct {
		Bool    bool
		Int     int
		Int8    int8
		Uint16  uint16
		Int32   int32
		Float32 float32
		Float64 float64
		String  string
		Slice   []int
		Map     map[string]int
		Any     any
		Pointer *int
		None    [0]string
		Array   [2]string
		Struct  struct{ String string }
	}
	values := []all{
		{},
		{Slice: []int{}, Map: map[string]int{}, Any: 0, Pointer: new(int), Float32: -1, Float64: math.Copysign(0, -1)},
		{
			Bool: true, Int: 1 << 40, Int8: -1, Uint16: 1 << 9, Int32: 1 << 20, Float32: 1, Float64: 1,
			String: "a", Slice: []int{0}, Map: map[string]int{"": 0}, Any: "",
			Array: [2]string{"", "a"}, Struct: struct{ String string }{"a"},
		},
	}
	for i := range values {
		v := reflect.ValueOf(&values[i]).Elem()
		for j := range v.NumField() {
			for _, omitEmpty := range []bool{false, true} {
				for _, omitZero := range []bool{false, true} {
					test := emptinessOf(v.Field(j).Type(), omitEmpty, omitZero)
					name := v.Type().Field(j).Name
					require.Equal(t, isOmitted(v.Field(j), omitEmpty, omitZero), test.holds(addressOf(v.Field(j))),
						"%d %s %t %t", i, name, omitEmpty, omitZero)
				}
			}
		}
	}
}

// isOmitted reports whether a field is omitted according to the documentation of
// encoding/json. A null pointer is always omitted.
func isOmitted(v reflect.Value, omitEmpty, omitZero bool) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil()
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return omitEmpty && v.Len() == 0 || omitZero && v.IsZero()
	case reflect.Struct:
		return omitZero && v.IsZero()
	}
	return (omitEmpty || omitZero) && v.IsZero()
}
