package manifest_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestOmission compares which values of a field are omitted with encoding/json, which does not omit null and, for
// omitempty, no struct.
func TestOmission(t *testing.T) {
	type text struct {
		Text string `json:"text,omitempty"`
	}
	for _, value := range []any{
		false, true, 0, 1 << 40, int8(-1), int8(0), uint16(1 << 9), uint32(0), int32(1 << 20), int64(0),
		float32(0), float32(1), math.Copysign(0, -1), 1.5, "", "a",
		[]int(nil),
		[]int{},
		[]int{0},
		map[string]int(nil),
		map[string]int{},
		map[string]int{"": 0},
		map[string]string(nil),
		map[string]string{},
		map[string]string{"": ""},
		(*int)(nil), new(int),
		[0]string{},
		[2]string{},
		[2]string{"", "a"},
		text{},
		text{"a"},
		&text{},
	} {
		for _, options := range []string{"", ",omitempty", ",omitzero", ",omitempty,omitzero"} {
			field := reflect.StructField{
				Name: "F", Type: reflect.TypeOf(value), Tag: reflect.StructTag(`json:"f` + options + `"`),
			}
			v := reflect.New(reflect.StructOf([]reflect.StructField{field}))
			v.Elem().Field(0).Set(reflect.ValueOf(value))
			want, err := json.Marshal(v.Interface())
			require.NoError(t, err)
			if string(want) == `{"f":null}` || value == any(text{}) && options != "" {
				want = []byte("{}")
			}
			got, err := manifest.Encode(nil, v.Interface())
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "%T %s", value, options)
		}
	}
}
