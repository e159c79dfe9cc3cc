package delivery

import (
	"errors"
	"fmt"
)

// findings collects the errors and notes of independent steps, so that all errors are
// reported in one run.
type findings struct {
	errs  []error
	notes []string
}

// add adds an error if it is not nil.
func (f *findings) add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// text adds the error of a function that returns a string, and returns the string.
func (f *findings) text(s string, err error) string {
	f.add(err)
	return s
}

// list adds the error of a function that returns strings, and returns the strings.
func (f *findings) list(all []string, err error) []string {
	f.add(err)
	return all
}

func (f *findings) notef(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func (f *findings) failed() bool { return len(f.errs) > 0 }

func (f *findings) err() error { return errors.Join(f.errs...) }
