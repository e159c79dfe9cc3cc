// Package style contains one test: comments and messages follow those rules of the
// section "Writing" in CONTRIBUTING.md that a pattern can check.
package style
