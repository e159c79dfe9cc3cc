// Package platform checks the output of `vmrender template` for a platform.yaml
// with Argo CD's own code: its types decode every field, its projects permit
// the Applications, and its normalizer understands the ignored fields.
package platform
