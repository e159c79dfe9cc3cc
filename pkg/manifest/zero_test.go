package manifest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestZeroTestOnlySavesTime proves that the encoder would also omit a field that
// passes the zero test.
func TestZeroTestOnlySavesTime(t *testing.T) {
	type all struct {
		Bool    bool
		Int     int
		String  string
		Slice   []int
		Map     map[string]int
		Any     any
		Pointer *int
		Array   [2]string
		Struct  struct{ String string }
	}
	values := []all{
		{},
		{Slice: []int{}, Map: map[string]int{}, Any: 0, Pointer: new(int)},
		{
			Bool: true, Int: 1, String: "a", Slice: []int{0}, Map: map[string]int{"": 0}, Any: "",
			Array: [2]string{"", "a"}, Struct: struct{ String string }{"a"},
		},
	}
	passed := 0
	for i := range values {
		v := reflect.ValueOf(&values[i]).Elem()
		for j := range v.NumField() {
			f := v.Type().Field(j)
			for _, omitEmpty := range []bool{false, true} {
				for _, omitZero := range []bool{false, true} {
					if zeroTestOf(f, omitEmpty).passes(addressOf(v)) {
						passed++
						isEmpty := emptyTest(f.Type.Kind(), omitEmpty, omitZero)
						require.True(t, isEmpty(v.Field(j)), "%s %t %t", f.Name, omitEmpty, omitZero)
					}
				}
			}
		}
	}
	require.NotZero(t, passed)
}
