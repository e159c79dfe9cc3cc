package source

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// The short way to read a tag finds the same as reflect.
func TestSplitTag(t *testing.T) {
	for _, tag := range []reflect.StructTag{
		"", `json:"a"`, `json:"a,omitempty" enum:"x,y"`, `enum:"x" json:"a"`, `json:"a\"b" enum:"x"`, `json:"a`, `json:""`,
		`json:"-" source:"short"`, `enum:"x"`, `json:"a"  enum:"x" required:"true"`,
	} {
		name, other := SplitTag(tag)
		require.Equal(t, tag.Get("json"), name, tag)
		for _, key := range []string{"enum", "source", "required"} {
			require.Equal(t, tag.Get(key), other.Get(key), tag)
		}
	}
}
