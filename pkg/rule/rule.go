// Package rule names every kind of problem that vmrender reports. The names are
// stable, because users filter and suppress results by them in SARIF, JSON and GitHub
// annotations: one may be added, none renamed or removed.
//
// The comments on the constants are what docs/diagnostics.md and SARIF say.
package rule

// ID identifies a kind of problem, such as "bad-name".
type ID string

// Meaning returns what is wrong where an identifier is reported, in one or two
// sentences, or nothing if it is not one of this package.
//
// It is not a method: programs that use reflection keep the methods of every
// type, and the sidecar has no use for the texts.
func Meaning(id ID) string { return meanings[id] }
