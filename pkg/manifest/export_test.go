package manifest

import "errors"

// ReadPrecisely is [Read] in the way that finds out where problems are, whether there are any or not.
func ReadPrecisely(text []byte) ([]Object, error) {
	var r reading
	for _, d := range split(text) {
		if isFlow(d.text) {
			r.flow(d)
		} else if converted, err := toJSON(d.text); err != nil {
			r.yamlErrors(d, err)
		} else {
			r.value(ReadError{Document: d.number, Line: d.line}, converted, nil)
		}
	}
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return r.objects, nil
}

// EndsEarly reports whether a text that is read as one document has others after it.
func EndsEarly(text []byte) bool {
	_, err := toJSON(text)
	return err == nil && checkEnd(text) != nil
}
