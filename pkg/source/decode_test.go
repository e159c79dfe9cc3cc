package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type machine struct {
	Header    `json:",inline"`
	OS        string            `json:"os"`
	CPU       *sizing           `json:"cpu,omitempty"`
	Memory    quantity          `json:"memory"`
	Port      portRef           `json:"port"`
	Nics      []nic             `json:"nics"`
	Labels    map[string]string `json:"labels"`
	Protect   *bool             `json:"protect"`
	Wave      int8              `json:"wave"`
	Big       uint64            `json:"big"`
	Load      float64           `json:"load"`
	Data      []byte            `json:"data"`
	Free      any               `json:"free"`
	Named     map[name]*int32   `json:"named"`
	Spec      strict            `json:"spec"`
	Password  string            `json:"password" source:"secret"`
	Pin       int               `json:"pin" source:"secret"`
	Untagged  string
	Hidden    string `json:"-"`
	unexposed string //nolint:unused // decoding must skip it
}

type name string

type Header struct {
	Kind string `json:"kind"`
}

type nic struct {
	MAC   string `json:"mac"`
	Ports []int  `json:"ports"`
}

// sizing has a short form: a number of cores.
type sizing struct {
	Cores   int `json:"cores"`
	Threads int `json:"threads"`
}

func (s *sizing) DecodeNode(n *Node, path Path, diags *Diagnostics) {
	if n.Kind == Map {
		DecodeFields(n, s, path, diags)
		return
	}
	DecodeFields(n, &s.Cores, path, diags)
}

// quantity stands for the API types that decode themselves from a scalar.
type quantity struct {
	text   string
	Format string
}

func (q *quantity) UnmarshalJSON(b []byte) error {
	q.text = strings.Trim(string(b), `"`)
	if strings.HasSuffix(q.text, "GiB") {
		return errors.New("unknown suffix")
	}
	return nil
}

// portRef is a number or a name, as an API type may be.
type portRef struct{ Number int }

func (p *portRef) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &p.Number) }

// strict has an UnmarshalJSON that would hide unknown keys.
type strict struct {
	Domain map[string]nic `json:"domain"`
}

func (s *strict) UnmarshalJSON([]byte) error { return nil }

func decodeText(t testing.TB, text string) (machine, string) {
	t.Helper()
	var m machine
	var diags Diagnostics
	Decode(parse(t, text), &m, "vms.web01", &diags)
	return m, lines(&diags)
}

func TestDecode(t *testing.T) {
	m, problems := decodeText(t, `
kind: VM
os: rhel9
cpu: 4
memory: 16Gi
port: 80
nics: [{mac: 02:00:00:00:00:01, ports: [1, +2]}, {}]
labels: {a: "1", b: x}
protect: True
wave: -128
big: 18446744073709551615
load: 5
data: aGk=
free: {a: [1, 2.5, true, x, null], b: {}}
named: {x: 7, gone: null}
spec: {domain: {a: {mac: m}}}
password: "12345"
pin: 1
Untagged: u
`)
	require.Empty(t, problems)
	protect, seven := true, int32(7)
	require.Equal(t, machine{
		Header: Header{"VM"}, OS: "rhel9", CPU: &sizing{Cores: 4}, Memory: quantity{text: "16Gi"}, Port: portRef{80},
		Nics:   []nic{{MAC: "02:00:00:00:00:01", Ports: []int{1, 2}}, {}},
		Labels: map[string]string{"a": "1", "b": "x"}, Protect: &protect,
		Wave: -128, Big: 18446744073709551615, Load: 5, Data: []byte("hi"),
		Free:  map[string]any{"a": []any{int64(1), 2.5, true, "x", nil}, "b": map[string]any{}},
		Named: map[name]*int32{"x": &seven}, Spec: strict{map[string]nic{"a": {MAC: "m"}}},
		Password: "12345", Pin: 1, Untagged: "u",
	}, m)
}

func TestDecodeLeavesNulls(t *testing.T) {
	m := machine{OS: "rhel9"}
	var diags Diagnostics
	Decode(parse(t, "{os: null, cpu: ~, memory: null, nics: null}"), &m, "", &diags)
	Decode(nil, &m, "", &diags)
	Decode(parse(t, ""), &m, "", &diags)
	require.Zero(t, diags.Len())
	require.Equal(t, machine{OS: "rhel9"}, m)
}

func TestDecodeErrors(t *testing.T) {
	eachInput(t, "testdata/decode", func(t *testing.T, path string, file *File) {
		var m machine
		var diags Diagnostics
		for _, doc := range Parse(file, &diags) {
			Decode(doc, &m, "vms.web01", &diags)
		}
		requireGolden(t, path, lines(&diags))
	})
}

// A secret value must never appear in a message.
func TestDecodeSecrets(t *testing.T) {
	for _, value := range []string{
		"4711", "4711.5", "08154711", "[4711]", "true", "{a: 4711}", "2026-04-711", "99999999994711999999999", `"4711"`,
	} {
		var m machine
		var diags Diagnostics
		doc := parse(t, "{password: "+value+", pin: "+value+"}")
		Decode(doc, &m, "", &diags)
		require.True(t, diags.HasErrors(), value)
		require.NotContains(t, lines(&diags), "4711")
	}
}

func TestDecodeEmbedded(t *testing.T) {
	type Deep struct{ A, B, C string }
	type Left struct {
		*Deep
		A string `json:"A"`
		D string
	}
	type Right struct{ D string }
	var v struct {
		Left
		Right
		Named Right
	}
	var diags Diagnostics
	text := "{A: a, B: b, Named: {D: d}}"
	Decode(parse(t, text), &v, "", &diags)
	require.Zero(t, diags.Len())
	want := v
	want.Left = Left{}
	require.NoError(t, json.Unmarshal([]byte(`{"A":"a","B":"b","Named":{"D":"d"}}`), &want))
	require.Equal(t, want, v)

	Decode(parse(t, "{D: x}"), &v, "", &diags)
	require.Equal(t, "f.yaml:1:2: D: unknown key \"D\"; did you mean \"A\"? [unknown-key]\n", lines(&diags),
		"two fields of that name at one depth")
}

func TestReportAmbiguous(t *testing.T) {
	var diags Diagnostics
	ReportAmbiguous(parse(t, "{a: [yes, ok], b: {c: 012}, d: \"no\"}"), "overrides", &diags)
	ReportAmbiguous(nil, "", &diags)
	require.Equal(t, `f.yaml:1:6: overrides.a[0]: "yes" is a boolean in YAML 1.1; quote it: "yes" [ambiguous-scalar]
f.yaml:1:23: overrides.b.c: "012" is a number with a leading zero, octal in YAML 1.1; quote it: "012" [ambiguous-scalar]
`, lines(&diags))
}

// Accepted trees decode to the same values as with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	paths, _ := os.ReadDir("testdata/decode")
	for _, p := range paths {
		data, _ := os.ReadFile("testdata/decode/" + p.Name())
		f.Add(string(data))
	}
	f.Add("{os: a, wave: 3, nics: [{mac: x}], labels: {a: b}, free: [1, {x: y}], load: 1e3}")
	f.Fuzz(func(t *testing.T, text string) {
		var diags Diagnostics
		docs := Parse(&File{Name: "f", Data: []byte(text)}, &diags)
		if diags.HasErrors() {
			return
		}
		for _, doc := range docs {
			var ours, theirs plainMachine
			var problems Diagnostics
			Decode(doc, &ours, "", &problems)
			if problems.HasErrors() || doc.Kind == Null {
				continue
			}
			decoder := json.NewDecoder(strings.NewReader(string(AppendJSON(nil, withoutNulls(doc)))))
			decoder.DisallowUnknownFields()
			require.NoError(t, decoder.Decode(&theirs))
			require.Equal(t, fmt.Sprint(theirs), fmt.Sprint(ours))
		}
	})
}

type plainMachine struct {
	Header
	OS     string            `json:"os"`
	Wave   int8              `json:"wave"`
	Load   float64           `json:"load"`
	Nics   []nic             `json:"nics"`
	Labels map[string]string `json:"labels"`
	Named  map[name]uint16   `json:"named"`
}

func BenchmarkDecode(b *testing.B) {
	doc := parse(b,
		"{kind: VM, os: rhel9, cpu: {cores: 4}, memory: 16Gi, nics: [{mac: x}, {mac: y}], labels: {a: b}, wave: 3}")
	b.ReportAllocs()
	for b.Loop() {
		var m machine
		var diags Diagnostics
		Decode(doc, &m, "vms.web01", &diags)
	}
}
