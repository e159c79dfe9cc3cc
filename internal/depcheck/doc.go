// Package depcheck contains tests of who may know what. One checks the import rules between
// the rooms of the architecture. A room is a package of this module with the packages below
// it. The table in the test lists the other rooms that it may import, and the dependencies
// that it must not reach. A new package needs a line there. Another checks that only tables
// name the strategies of cattle.
package depcheck
