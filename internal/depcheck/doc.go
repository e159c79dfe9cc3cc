// Package depcheck holds one test: the import rules between the rooms of the
// architecture. A room is a package of ours with the packages below it; the
// table in the test says which other rooms it may import and which
// dependencies must stay out of its reach. A new package needs a line there.
package depcheck
