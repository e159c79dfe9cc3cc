package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/values"
)

// Every meaning belongs to a word that a key accepts.
func TestMeaningsAreOfWords(t *testing.T) {
	words := map[string]bool{}
	collectWords(reflect.TypeFor[values.Header](), words)
	collectWords(reflect.TypeFor[values.VM](), words)
	collectWords(reflect.TypeFor[catalog.Catalog](), words)
	collectWords(reflect.TypeFor[layers.Platform](), words)
	for word := range meanings {
		require.True(t, words[word], word)
	}
}

// collectWords adds the words that are accepted by the keys of a type, at any depth, as
// KEY.WORD.
func collectWords(t reflect.Type, words map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || !strings.Contains(t.PkgPath(), "vmrender") || t == nodeType || words[t.String()] {
		return
	}
	words[t.String()] = true
	for f := range t.Fields() {
		for word := range strings.SplitSeq(f.Tag.Get("enum"), ",") {
			words[values.Key(f)+"."+word] = true
		}
		collectWords(f.Type, words)
	}
}
