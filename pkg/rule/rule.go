// Package rule names every kind of problem that vmrender reports. The names are stable,
// because users filter and suppress results by them in SARIF, JSON and GitHub
// annotations: one may be added, none renamed or removed.
//
// docs/reference/diagnostics.md and the descriptions in SARIF are generated from the comments on
// the constants.
package rule

// ID identifies a kind of problem, such as "bad-name".
type ID string

// Meaning describes the problem that an identifier stands for, in one or two sentences.
// It returns "" for an identifier that is not defined in this package.
//
// It is not a method: the linker keeps all methods in programs that use reflection, and
// the sidecar does not need the texts.
func Meaning(id ID) string { return meanings[id] }
