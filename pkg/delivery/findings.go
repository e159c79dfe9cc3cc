package delivery

import (
	"errors"
	"fmt"
)

// findings gathers what steps find that do not depend on each other, so that all
// errors are reported in one run.
type findings struct {
	errs  []error
	notes []string
}

// add keeps an error; nil is none.
func (f *findings) add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// text keeps the error of what returns a string.
func (f *findings) text(s string, err error) string {
	f.add(err)
	return s
}

// list keeps the error of what returns strings.
func (f *findings) list(all []string, err error) []string {
	f.add(err)
	return all
}

func (f *findings) notef(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func (f *findings) failed() bool { return len(f.errs) > 0 }

func (f *findings) err() error { return errors.Join(f.errs...) }
