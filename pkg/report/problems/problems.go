// Package problems writes problems of fleets as text for users. Programs that write nothing else about fleets do
// without package report, whose plans are slow to start.
package problems

import (
	"errors"
	"io"

	"github.com/vmrender/vmrender/pkg/source"
)

// ErrReported is the error of a command that has already written its problems.
var ErrReported = errors.New("invalid input")

// Report writes problems as [Text] does, and returns [ErrReported] if one of them
// is an error.
func Report(w io.Writer, diags *source.Diagnostics) error {
	if err := Text(w, diags.Sorted(), false); err != nil {
		return err
	}
	if diags.HasErrors() {
		return ErrReported
	}
	return nil
}
