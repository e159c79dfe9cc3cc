// Package applications checks the output of `vmrender app` with Argo CD's own
// code: its types decode every field, its ApplicationSet controller generates
// the Applications, and its check for changed files reads their annotation. The
// input is the golden files of the command's tests, and the examples.
package applications
