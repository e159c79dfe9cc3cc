package manifest

import (
	"errors"
	"io"
	"slices"
)

const (
	listHead = `{"apiVersion":"v1","kind":"List","items":[`
	listTail = "]}\n"

	// writeSize is the number of bytes that are collected before they are written:
	// twice the capacity of a pipe, because each write wakes the reader.
	writeSize = 128 << 10

	// perList is the maximum number of objects in one of [Lists]. repo-server parses each List as YAML (gitops-engine
	// v0.7.1, pkg/utils/kube/kube.go, SplitYAML), which takes the least CPU time for 16 to 100 VMs in each
	// (test/argocd/reposerver, BenchmarkLists).
	perList = 50
)

var errClosed = errors.New("writing an object: the stream is complete")

// Writer writes objects to a stream one by one, and keeps no more of them in memory
// than fit into one write.
type Writer struct {
	w      io.Writer
	format Format
	buf    []byte // not yet written
	json   []byte // of the object that is converted to YAML; reused
	count  int
	err    error
}

// NewWriter returns a Writer to w. The stream is complete after [Writer.Close].
func NewWriter(w io.Writer, format Format) *Writer {
	return &Writer{w: w, format: format}
}

// Encode writes a typed API struct; see the function [Encode]. Nothing is written
// for an object that cannot be encoded. After an error in writing, all later calls
// return the same error.
func (w *Writer) Encode(v any) (err error) {
	if w.err != nil {
		return w.err
	}
	if w.format == YAML {
		if w.json, err = Encode(w.json[:0], v); err != nil {
			return err
		}
		return w.Write(w.json)
	}
	start := len(w.buf)
	w.begin()
	if w.buf, err = Encode(w.buf, v); err != nil {
		w.buf = w.buf[:start]
		return err
	}
	return w.end()
}

// Write writes an object given as compact JSON, such as an [Object]'s. It does
// not keep the slice. Errors are as for [Writer.Encode].
func (w *Writer) Write(json []byte) error {
	if w.err != nil {
		return w.err
	}
	w.begin()
	if w.format == YAML {
		w.buf = AppendYAML(w.buf, json)
	} else {
		w.buf = append(w.buf, json...)
	}
	return w.end()
}

// Close completes the stream and writes the rest of it. A stream without objects is
// empty in YAML, and a List without items in the other formats. Close does not close the
// underlying writer. Nothing can be written after it.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.format != YAML {
		if w.count == 0 {
			w.buf = append(w.buf, listHead...)
		} else {
			w.buf = append(w.buf, '\n')
		}
		w.buf = append(w.buf, listTail...)
	}
	err := w.flush()
	w.err = errors.Join(err, errClosed)
	return err
}

// begin writes the separator before the next object, or the start of a List.
func (w *Writer) begin() {
	switch {
	case w.format == YAML && w.count > 0:
		w.buf = append(w.buf, "---\n"...)
	case w.format == YAML:
	case w.count == 0:
		w.buf = append(w.buf, listHead+"\n"...)
	case w.format == Lists && w.count%perList == 0:
		w.buf = append(w.buf, "\n"+listTail+listHead+"\n"...)
	default:
		w.buf = append(w.buf, ",\n"...)
	}
}

func (w *Writer) end() error {
	w.count++
	if w.count == 2 { // further ones are likely, and growing step by step takes five times the memory
		w.buf = slices.Grow(w.buf, writeSize)
	}
	if len(w.buf) < writeSize {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	if len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
		w.buf = w.buf[:0]
	}
	return w.err
}
