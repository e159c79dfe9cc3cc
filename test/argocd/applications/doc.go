// Package applications judges what `vmrender app` prints by Argo CD's own code:
// its types decode every field, its ApplicationSet controller makes the
// Applications, and its judge of changed files looks at their annotation. What it
// judges are the golden files of the command's tests, and the examples.
package applications
