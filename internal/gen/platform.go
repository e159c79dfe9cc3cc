package main

import (
	_ "embed"
	"fmt"
	"reflect"

	"github.com/vmrender/vmrender/pkg/layers"
)

//go:embed platform.md.tmpl
var platformTemplate string

// platformReference returns docs/reference/platform.md.
func (c comments) platformReference() ([]byte, error) {
	r := &reference{c, map[reflect.Type]*section{}}
	sections := r.collect(reflect.TypeFor[layers.Platform](), "")
	r.fill()
	entries, err := layers.Describe()
	if err != nil {
		return nil, fmt.Errorf("describing the layers: %w", err)
	}
	return execute("platform.md", tableTemplate+platformTemplate, map[string]any{
		"Platform": sections, "Layers": entries, "OwnWave": layers.OwnWave(),
	})
}
