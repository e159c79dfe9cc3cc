package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestReadGolden lists what was read from each file: objects or problems.
func TestReadGolden(t *testing.T) {
	inputs(t, "read/*.in.yaml", func(t *testing.T, name string, text []byte) {
		objects, err := manifest.Read(bytes.NewReader(text))
		var out bytes.Buffer
		for _, o := range objects {
			fmt.Fprintf(&out, "%s %v\n%s\n", o.APIVersion, o.ID, o.JSON)
		}
		if err != nil {
			require.Empty(t, objects)
			fmt.Fprintln(&out, err)
		}
		golden.Equal(t, goldenOf(name, "txt"), out.String())
	})
}

func TestReadError(t *testing.T) {
	_, err := manifest.Read(strings.NewReader("---\n\n---\nkind: Pod\napiVersion: v1\n"))
	var problem *manifest.ReadError
	require.ErrorAs(t, err, &problem)
	require.Equal(t, 1, problem.Document)
	require.Equal(t, 4, problem.Line)

	broken := errors.New("broken pipe")
	_, err = manifest.Read(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestReadNothing(t *testing.T) {
	for _, text := range []string{
		"", "\n", "---\n", "# only a comment\n---\n...\n", "null\n", "\ufeff", "{\"items\":[]}",
		"apiVersion: v1\nkind: List\nitems:\n", `{"kind":"PodList","items":null,"apiVersion":"v1"}`, "null # c\n",
	} {
		objects, err := manifest.Read(strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Empty(t, objects, "%q", text)
	}
}

// TestReadOrderOfKeys checks that different texts of the same object result in the same
// bytes.
func TestReadOrderOfKeys(t *testing.T) {
	objects, err := manifest.Read(strings.NewReader(`
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"1","z":"é"}},"size":10}
{"size": 1e1, "metadata":{"labels":{"z":"\u00e9","x":"1"},"name":"a","creationTimestamp":null},
 "kind":"ConfigMap","apiVersion":"v1"}
---
metadata: {labels: {z: é, x: '1'}, name: a}
apiVersion: v1
kind: ConfigMap
size: 10.0
`))
	require.NoError(t, err)
	require.Len(t, objects, 3)
	require.Equal(t, objects[0], objects[1])
	require.Equal(t, objects[0], objects[2])
}

// TestReadWhatWasWritten writes typed objects in both formats and checks that reading
// them returns the same as [manifest.New].
func TestReadWhatWasWritten(t *testing.T) {
	inputs(t, "objects/*.in.yaml", func(t *testing.T, _ string, text []byte) {
		v := typed(t, text)
		original, err := manifest.New(v)
		require.NoError(t, err)
		for _, format := range []manifest.Format{manifest.YAML, manifest.JSON} {
			var out bytes.Buffer
			w := manifest.NewWriter(&out, format)
			require.NoError(t, w.Encode(v))
			require.NoError(t, w.Write(original.JSON))
			require.NoError(t, w.Close())
			objects, err := manifest.Read(&out)
			require.NoError(t, err)
			require.Len(t, objects, 2)
			require.Equal(t, original, objects[0])
			require.Equal(t, original, objects[1])
		}
	})
}

// isBreak reports whether YAML 1.1 treats a character as a line break.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// lines returns an upper bound for the number of lines of a text.
func lines(text []byte) (n int) {
	for _, r := range string(text) {
		if isBreak(r) {
			n++
		}
	}
	return n + 2
}

// FuzzRead checks that every object that is read can be written and read again without a
// change.
func FuzzRead(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n" +
		"{\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}]}\n"))
	f.Add([]byte("%YAML 1.1\n---\n- {\n...\n{\"a\":1,\"a\":2}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, err := manifest.Read(bytes.NewReader(bytes.Clone(text)))
		if err != nil {
			var problem *manifest.ReadError
			require.ErrorAs(t, err, &problem)
			require.Positive(t, problem.Document)
			require.LessOrEqual(t, problem.Line, lines(text))
			return
		}
		for _, format := range []manifest.Format{manifest.YAML, manifest.JSON} {
			var out bytes.Buffer
			w := manifest.NewWriter(&out, format)
			for _, o := range objects {
				require.NoError(t, w.Write(o.JSON))
			}
			require.NoError(t, w.Close())
			written := out.String()
			again, err := manifest.Read(&out)
			require.NoError(t, err, written)
			require.Equal(t, objects, again, written)
		}
	})
}

// TestReadNothingIsLost checks that no document is lost: the YAML reader silently stops
// after the first. A plan would then delete the missing objects.
func TestReadNothingIsLost(t *testing.T) {
	const inJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`
	const inFlow = `{apiVersion: v1, kind: Pod, metadata: {name: b}}`
	const inBlock = "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\n"
	for _, text := range []string{
		inJSON + "\n" + inJSON[:20], inJSON + "\n{broken", inJSON + " garbage", inJSON + "\n]", inJSON + "\n- " + inJSON,
		inJSON + "\n" + inFlow, inFlow + "\n" + inFlow, inFlow + "\n" + inJSON, inFlow + "\n- " + inFlow,
		inFlow + "\nkind: x\n", "&a " + inFlow + "\n" + inFlow, "!!map " + inFlow + " garbage",
		inFlow + "\n" + inBlock, inBlock + inFlow, inBlock + inJSON,
		inFlow + "\u2028---\n" + inFlow, inBlock + "\u0085---\u0085" + inFlow, inBlock + "x: y\u2029--- " + inFlow,
		"  apiVersion: v1\n  kind: Pod\n  metadata: {name: d}\nspec: {}\n", "  kind: x\n" + inBlock,
		inBlock + "%YAML 1.1\n" + inBlock, "null # c\n" + inFlow, "&a # c\n" + inFlow + "\nrest", "&a ]anything",
		"~\n" + inFlow, "null\n" + inBlock, inJSON[:len(inJSON)-3] + "\xff" + inJSON[len(inJSON)-3:],
		"kind: Pod\nitems:\n", inFlow + "\n]", "!!map " + inFlow + "\n" + inBlock,
	} {
		objects, err := manifest.Read(strings.NewReader(text))
		require.Error(t, err, "%q gave %d objects", text, len(objects))
	}
	for _, text := range []string{
		inJSON + inJSON, inJSON + "\r" + inJSON, inFlow + "\r---\r" + inFlow, inBlock + "\r---\r" + inFlow + "\r",
		inBlock + "---\r\n" + inJSON + "\r\n", inBlock + "...\n" + inBlock, inFlow + " # a comment\n---\n!!map " + inFlow,
		"{apiVersion: v1,\nkind: Pod, metadata: {\nname: b\n}\n}\n---\n" + inJSON + " # a comment",
	} {
		objects, err := manifest.Read(strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Len(t, objects, 2, "%q", text)
	}
}

// TestReadMergedKey checks the message about a key that is set next to a merged one. The
// strict reader takes it for a duplicate, but the message must not send the user looking
// for one.
func TestReadMergedKey(t *testing.T) {
	_, err := manifest.Read(strings.NewReader("a: &x {kind: Pod}\nb:\n  <<: *x\n  kind: Job\n"))
	require.EqualError(t, err, `document 1, line 4: key "kind" already set in map; `+
		`a key that the map sets itself must not come from "<<" as well`)
}

// FuzzReadConcatenated checks that an object that can be read on its own is also read, or
// rejected, if another object follows.
func FuzzReadConcatenated(f *testing.F) {
	const last = "apiVersion: v1\nkind: Last\nmetadata: {name: z}\n"
	for _, separator := range []string{"\n---\n", "\n", " ", "\r---\r", "\u2028---\n", "\n...\n", "\n- "} {
		f.Add("{apiVersion: v1, kind: Pod, metadata: {name: b}}", separator)
		f.Add("apiVersion: v1\nkind: Pod\nmetadata: {name: b}", separator)
	}
	f.Fuzz(func(t *testing.T, first, separator string) {
		alone, err := manifest.Read(strings.NewReader(first))
		if err != nil || len(alone) == 0 {
			return
		}
		objects, err := manifest.Read(strings.NewReader(first + separator + last))
		if err != nil || strings.Contains(separator, "#") || strings.Contains(first, "|") || strings.Contains(first, ">") {
			return // rejected, or the rest is a comment or part of a text
		}
		for _, o := range objects {
			if o.Kind == "Last" {
				return
			}
		}
		t.Fatalf("%q is lost after %q", last, first+separator)
	})
}

// FuzzReadEnd checks that what is read as a document is all of the text, as a reader of the whole text finds.
func FuzzReadEnd(f *testing.F) {
	for _, text := range []string{
		"a: b\n", "# c\n\na: b\nc:\n- d\n", "a: b\n%YAML 1.1\n", "a: b\r%TAG\r", "a: b\u2028%TAG", "a\n{b: c}", "a: b\n c",
		"  a: b\nc: d", "null # c\n{a: b}", "a: |\n  x\ny\n", "a: 'x\n\ny'\nb: >-\n z\n", "a: {b:\nc}\n", "a: b\n{c: d}\n",
		"a: b\n]\n", "a: &x\n b: c\nd: *x\n", "? a\n: b\n", "a: b\n!x c: d\n", "a: [\n]\nc: d",
		"a: \"x\\\ny\"\n", "a: b\n\tc: d",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.False(t, manifest.EndsEarly(text), "%q", text)
	})
}
