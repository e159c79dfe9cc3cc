package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every entry of the list still applies, so a changed text in the source fails this test,
// not only the next run of the tool.
func TestMutationsApply(t *testing.T) {
	const root = "../.."
	for _, m := range mutations() {
		text, err := m.apply(filepath.Join(root, m.file))
		require.NoError(t, err, "%s: %s", m.file, m.old)
		require.NotEmpty(t, text)
		require.NotEqual(t, m.old, m.new, m.file)
		require.NotEmpty(t, m.why, m.file)
		require.NotEmpty(t, m.tests, m.file)
		for dir := range strings.FieldsSeq(m.tests) {
			require.DirExists(t, filepath.Join(root, dir), m.file)
		}
	}
}

const testOfModule = `package m

import "testing"

func TestIt(t *testing.T) {
	if tested != 1 {
		t.Fail()
	}
}
`

// The module has one package with two promises, one of which is tested.
func TestTry(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nconst tested, untested = 1, 2\n",
		"m_test.go": testOfModule,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	all := []mutation{
		{"m.go", ".", "it is tested", "1", "3"},
		{"m.go", ".", "it is not", "2", "3"},
		{"m.go", ".", "it is no Go", "2", "x"},
		{"m.go", ".", "it is there twice", "tested", "x"},
	}
	var out strings.Builder
	require.EqualError(t, tryAll(root, all, &out), "3 of 4 mutations were not noticed")
	require.Equal(t, `noticed: m.go: it is tested
SURVIVED: m.go: it is not
INVALID: IT DOES NOT COMPILE: m.go: it is no Go
STALE: ITS TEXT MUST OCCUR EXACTLY ONCE: m.go: it is there twice
`, out.String())
	require.NoError(t, tryAll(root, all[:1], &out))
	require.Error(t, tryAll(root, nil, &out))

	left, err := os.ReadFile(filepath.Join(root, "m.go"))
	require.NoError(t, err)
	require.Equal(t, "package m\n\nconst tested, untested = 1, 2\n", string(left))
}

func TestChosen(t *testing.T) {
	all := []mutation{{file: "a/x.go"}, {file: "b/y.go"}}
	require.Len(t, chosen(slices.Clone(all), nil), 2)
	require.Equal(t, all[1:], chosen(slices.Clone(all), []string{"b/"}))
	require.Empty(t, chosen(slices.Clone(all), []string{"c"}))
}
