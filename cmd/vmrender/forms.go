package main

import (
	"io"

	"github.com/vmrender/vmrender/pkg/report"
)

// word is a value that is its own name.
type word string

// String returns the word.
func (w word) String() string { return string(w) }

// The forms of a result: text for users, or JSON.
const (
	asText word = "text"
	asJSON word = "json"
)

func forms() []word { return []word{asText, asJSON} }

// print writes value as JSON, or calls text to write it for users.
func (w word) print(stdout io.Writer, value any, text func(io.Writer) error) error {
	if w == asJSON {
		return report.Indented(stdout, value)
	}
	return text(stdout)
}
