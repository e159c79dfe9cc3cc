// Package style contains tests: comments, messages and pages follow those rules of the
// section "Writing" in CONTRIBUTING.md that a pattern can check.
package style
