package template

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimpleText shows that expanding a simple template without text/template is only
// faster, and that all other cases are left alone.
func TestSimpleText(t *testing.T) {
	data := map[string]any{
		"vars": map[string]any{
			"team": "web", "n": 3, "on": true, "ratio": 1.5, "none": nil, "list": []any{"a"},
			"deep": map[string]any{"er": "x"}, "long": strings.Repeat("x", maxText/2+1),
		},
		"vm": map[string]any{"name": "web01"},
	}
	for text, simple := range map[string]bool{
		"plain": true, "{{ .vars.team }}": true, "a-{{ .vars.team }}-{{ .vm.name }}": true, "{{ .vars.n }}": true,
		"{{ .vars.on }}{{ .vars.deep.er }}": true, "{{- .vars.team -}} x": true, "{{/* note */}}{{ .vm.name }}": true,
		"{{ .vars.ratio }}": false, "{{ .vars.none }}": false, "{{ .vars.list }}": false, "{{ .vars.deep }}": false,
		"{{ .vars.missing }}": false, "{{ .vars.team.x }}": false, "{{ .vars.long }}{{ .vars.long }}": false,
		"{{ .vars.team | upper }}": false, "{{ $x := .vars.team }}{{ $x }}": false, "{{ if .vars.on }}x{{ end }}": false,
	} {
		p := new(Set).parse(text)
		require.NoError(t, p.err, text)
		got, ok := "", false
		if p.simple != nil {
			got, ok = p.simple.expand(Map(data))
		}
		require.Equal(t, simple, ok, text)
		if want, err := executed(p.tmpl, data); ok {
			require.NoError(t, err, text)
			require.Equal(t, want, got, text)
		}
	}
}
