package main

import (
	"bytes"
	"fmt"
	"io"
)

// mostMessages is the maximum size of the messages in bytes. Argo CD keeps them
// in the Application's status, which must fit into an object of etcd, and people
// read the first ones.
const mostMessages = 8 << 10

// bounded keeps the first bytes that are written to it, and counts the lines
// after them.
type bounded struct {
	text []byte
	cut  bool
	more int // lines
}

// Write accepts all of p and never fails.
func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), mostMessages-len(b.text))
	b.text = append(b.text, p[:fits]...)
	b.cut = b.cut || fits < len(p)
	b.more += bytes.Count(p[fits:], []byte{'\n'})
	return len(p), nil
}

// add adds what was written to other.
func (b *bounded) add(other *bounded) {
	_, _ = b.Write(other.text) // which never fails
	b.cut = b.cut || other.cut
	b.more += other.more
}

// flush writes the complete lines, and the number of the others.
func (b *bounded) flush(w io.Writer) error {
	if !b.cut {
		_, err := w.Write(b.text)
		return err
	}
	whole := b.text[:bytes.LastIndexByte(b.text, '\n')+1]
	_, err := fmt.Fprintf(w, "%s… and %d more lines; `vmrender validate --all` shows each\n", whole, b.more)
	return err
}
