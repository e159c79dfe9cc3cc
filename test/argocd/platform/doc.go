// Package platform judges what `vmrender template` makes of a platform.yaml by
// Argo CD's own code: its types decode every field, its projects permit the
// Applications, and its normalizer understands the fields to be ignored.
package platform
