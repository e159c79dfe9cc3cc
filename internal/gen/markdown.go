package main

import (
	"bytes"
	"strings"
	"text/template"
)

// execute executes a template for Markdown.
func execute(name, text string, data any) ([]byte, error) {
	functions := template.FuncMap{"anchor": anchor, "cell": cell, "line": line, "words": strings.Fields}
	t, err := template.New(name).Funcs(functions).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// line returns one line of a table.
func line(cells []string) string {
	var out strings.Builder
	for _, c := range cells {
		out.WriteString("| " + cell(c) + " ")
	}
	return out.String() + "|"
}
