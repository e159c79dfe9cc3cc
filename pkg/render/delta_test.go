package render

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzDelta(f *testing.F) {
	f.Add([]byte(`{"name":"a","namespace":"production"}`), []byte(`{"name":"b","namespace":"production"}`))
	f.Add([]byte(``), []byte(`"`))
	f.Add([]byte(`"0123456789abcdef`), []byte(``))
	f.Add([]byte(strings.Repeat(`"`, 100)), []byte(strings.Repeat(`"`, 99)))
	f.Fuzz(func(t *testing.T, text, similar []byte) {
		delta := appendDelta([]byte("kept"), text, similar)
		require.Equal(t, "kept"+string(text), string(appendText([]byte("kept"), delta[len("kept"):], similar)))
	})
}

// A delta contains little more than the differences, even after a part that one of the
// texts lacks.
func TestDeltaIsSmall(t *testing.T) {
	item := func(name string) string {
		return `{"name":"` + name + `","resources":{"requests":{"storage":"30Gi"}},"storageClassName":"fast"},`
	}
	object := func(name string, items ...string) []byte {
		return []byte(`{"kind":"VirtualMachine","metadata":{"name":"` + name + `","namespace":"production"},"items":[` +
			strings.Join(items, "") + `],"runStrategy":"Always","architecture":"amd64"}`)
	}
	similar := object("web01", item("root"), item("data"))
	for name, text := range map[string][]byte{
		"the same":  similar,
		"a name":    object("web02", item("root"), item("data")),
		"one fewer": object("web02", item("root")),
		"one more":  object("web02", item("root"), item("data"), item("logs")),
	} {
		require.Less(t, len(appendDelta(nil, text, similar)), 100, name)
	}
}

// Texts that have nothing in common take no time.
func BenchmarkDeltaOfUnlike(b *testing.B) {
	text := bytes.Repeat([]byte(`"abcdefghijklmnop`), 1<<11)
	similar := bytes.Repeat([]byte(`"ABCDEFGHIJKLMNOP`), 1<<10)
	for b.Loop() {
		appendDelta(nil, text, similar)
	}
}

func BenchmarkDelta(b *testing.B) {
	text := func(name string) []byte {
		var out []byte
		for i := range 40 {
			out = append(out, `{"name":"`+name+strconv.Itoa(i)+`","storageClassName":"fast","preallocation":false},`...)
		}
		return out
	}
	similar, other := text("a"), text("b")
	for b.Loop() {
		appendDelta(nil, other, similar)
	}
}
