package manifest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// writes records the size of each write.
type writes struct {
	bytes.Buffer
	sizes []int
}

func (w *writes) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.Buffer.Write(p)
}

func secret(name string, size int) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		StringData: map[string]string{"data": strings.Repeat("x", size)},
	}
}

func TestWriter(t *testing.T) {
	tests := []struct {
		name    string
		format  manifest.Format
		objects []string
		want    string
	}{
		{"yaml nothing", manifest.YAML, nil, ""},
		{"yaml one", manifest.YAML, []string{`{"a":1}`}, "a: 1\n"},
		{"yaml two", manifest.YAML, []string{`{"a":"x\n\n"}`, `{}`}, "a: |+\n  x\n\n---\n{}\n"},
		{"json nothing", manifest.JSON, nil, `{"apiVersion":"v1","kind":"List","items":[]}` + "\n"},
		{
			"json one", manifest.JSON,
			[]string{`{"a":1}`},
			`{"apiVersion":"v1","kind":"List","items":[` + "\n" + `{"a":1}` + "\n]}\n",
		},
		{
			"json two", manifest.JSON,
			[]string{`{"a":1}`, `{}`},
			`{"apiVersion":"v1","kind":"List","items":[` + "\n" + `{"a":1},` + "\n{}\n]}\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := manifest.NewWriter(&out, test.format)
			for _, o := range test.objects {
				require.NoError(t, w.Write([]byte(o)))
			}
			require.NoError(t, w.Close())
			require.Equal(t, test.want, out.String())
			require.Error(t, w.Close(), "a stream is completed once")
			require.Error(t, w.Write([]byte("{}")))
			require.Equal(t, test.want, out.String())
		})
	}
}

// TestWriterLists checks that a List has at most 50 objects, and that all objects are
// read back in order.
func TestWriterLists(t *testing.T) {
	for count, lists := range map[int]int{0: 1, 1: 1, 50: 1, 51: 2, 120: 3} {
		var out bytes.Buffer
		w := manifest.NewWriter(&out, manifest.Lists)
		for i := range count {
			require.NoError(t, w.Encode(secret(fmt.Sprintf("s%03d", i), 1)))
		}
		require.NoError(t, w.Close())

		var names []string
		stream := json.NewDecoder(&out)
		for range lists {
			var list struct {
				Kind  string
				Items []struct{ Metadata struct{ Name string } }
			}
			require.NoError(t, stream.Decode(&list))
			require.Equal(t, "List", list.Kind)
			require.LessOrEqual(t, len(list.Items), 50)
			for _, item := range list.Items {
				names = append(names, item.Metadata.Name)
			}
		}
		require.Len(t, names, count)
		require.IsIncreasing(t, append(names, "t"))
		require.ErrorIs(t, stream.Decode(new(any)), io.EOF)
	}
}

// TestWriterSizes checks that the writes are few and large, and that at most one is held
// back.
func TestWriterSizes(t *testing.T) {
	const object, count, limit = 3000, 200, 128 << 10
	for _, format := range []manifest.Format{manifest.YAML, manifest.JSON, manifest.Lists} {
		var out writes
		w := manifest.NewWriter(&out, format)
		for i := range count {
			require.NoError(t, w.Encode(secret(fmt.Sprint("s", i), object)))
			require.Less(t, (i+1)*object-out.Len(), limit)
		}
		require.NoError(t, w.Close())
		require.Len(t, out.sizes, out.Len()/limit+1)
		for _, size := range out.sizes[:len(out.sizes)-1] {
			require.GreaterOrEqual(t, size, limit)
			require.Less(t, size, limit+2*object)
		}
	}
}

// TestWriterEncodeError checks that nothing is written for an object that cannot be
// encoded.
func TestWriterEncodeError(t *testing.T) {
	for _, format := range []manifest.Format{manifest.YAML, manifest.JSON, manifest.Lists} {
		var with, without bytes.Buffer
		a, b := manifest.NewWriter(&with, format), manifest.NewWriter(&without, format)
		require.ErrorContains(t, a.Encode(json.RawMessage("[")), "unexpected end of JSON input")
		for _, name := range []string{"x", "y"} {
			require.NoError(t, a.Encode(secret(name, 1)))
			require.NoError(t, b.Encode(secret(name, 1)))
			require.Error(t, a.Encode(map[int]int{}))
		}
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
		require.Equal(t, without.String(), with.String())
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestWriterErrorStays(t *testing.T) {
	err := errors.New("no space left on device")
	w := manifest.NewWriter(full{err}, manifest.JSON)
	require.NoError(t, w.Encode(secret("small", 10)))
	require.ErrorIs(t, w.Encode(secret("large", 1<<20)), err)
	require.ErrorIs(t, w.Encode(secret("small", 10)), err)
	require.ErrorIs(t, w.Write([]byte("{}")), err)
	require.ErrorIs(t, w.Close(), err)
}
