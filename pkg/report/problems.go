package report

import (
	"errors"
	"io"

	"github.com/vmrender/vmrender/pkg/source"
)

// ErrReported is the error of a command that has already written its problems.
var ErrReported = errors.New("invalid input")

// Problems writes problems for people, as [Text] does, and returns [ErrReported]
// if one of them is an error.
func Problems(w io.Writer, diags *source.Diagnostics) error {
	v := Validation{Diagnostics: diags.Sorted()}
	if err := Text(w, v); err != nil {
		return err
	}
	if v.HasErrors() {
		return ErrReported
	}
	return nil
}
