package manifest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// benchmarkVM returns a VM with two disks, two NICs, EFI and cloud-init.
func benchmarkVM(tb testing.TB) (v any, encoded []byte) {
	text, err := os.ReadFile("testdata/objects/vm-windows.in.yaml")
	require.NoError(tb, err)
	v = typed(tb, text)
	encoded, err = manifest.Encode(nil, v)
	require.NoError(tb, err)
	return v, encoded
}

// TestAllocations limits the cost of an object. In a buffer that is large enough, only
// quantities in Gi (one allocation each), ports (two) and maps of quantities (three, and one
// for each entry) allocate, and in YAML, the first strings with escapes. The VirtualMachine
// has two such quantities, one such port and two such maps.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("more is allocated under the race detector")
	}
	v, encoded := benchmarkVM(t)
	buf, yamlBuf := make([]byte, 0, 1<<16), make([]byte, 0, 1<<16)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = manifest.Encode(buf, v) }), 12.0)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = manifest.AppendYAML(yamlBuf, encoded) }), 2.0)
}

func BenchmarkEncode(b *testing.B) {
	v, encoded := benchmarkVM(b)
	b.Run("manifest", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(encoded)))
		var buf []byte
		for b.Loop() {
			buf, _ = manifest.Encode(buf[:0], v)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(v)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	_, encoded := benchmarkVM(b)
	b.Run("manifest", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(encoded)))
		for b.Loop() {
			_ = manifest.Decode(encoded)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v any
			d := json.NewDecoder(bytes.NewReader(encoded))
			d.UseNumber()
			_ = d.Decode(&v)
		}
	})
}

// BenchmarkRead reads a List of 100 VMs.
func BenchmarkRead(b *testing.B) {
	_, encoded := benchmarkVM(b)
	list := slices.Concat([]byte(`{"items":[`), bytes.Repeat(append(encoded, ','), 99), encoded, []byte("]}"))
	for name, read := range map[string]func() ([]manifest.Object, error){
		"trees":     func() ([]manifest.Object, error) { return manifest.Reader{Trees: true}.Read(bytes.NewReader(list)) },
		"json":      func() ([]manifest.Object, error) { return manifest.Read(bytes.NewReader(list)) },
		"precisely": func() ([]manifest.Object, error) { return manifest.ReadPrecisely(list) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(list)))
			for b.Loop() {
				_, err := read()
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkYAML(b *testing.B) {
	v, encoded := benchmarkVM(b)
	b.Run("manifest", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(encoded)))
		var buf []byte
		for b.Loop() {
			buf = manifest.AppendYAML(buf[:0], encoded)
		}
	})
	b.Run("sigs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = yaml.Marshal(v)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	v, _ := benchmarkVM(b)
	for name, format := range map[string]manifest.Format{"json": manifest.JSON, "yaml": manifest.YAML} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w := manifest.NewWriter(io.Discard, format)
			for b.Loop() {
				_ = w.Encode(v)
			}
		})
	}
}
