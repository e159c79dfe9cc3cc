package lab

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

// Main runs the tests of a package in a directory of this module, in a sandbox of a name. The tests find in p what is
// prepared outside.
func Main(m *testing.M, name string, p *Prepared) {
	flag.Parse()
	outside := func(dir string) (Prepared, error) { return Prepare(filepath.Join("..", "..", ".."), dir) }
	os.Exit(sandbox.Main(name, outside, func(made Prepared) (int, error) {
		*p = made
		return m.Run(), nil
	}))
}
