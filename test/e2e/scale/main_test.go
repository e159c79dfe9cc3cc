package scale_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/vmrender/vmrender/test/e2e/lab"
	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

var prepared lab.Prepared

func TestMain(m *testing.M) {
	flag.Parse()
	outside := func(dir string) (lab.Prepared, error) { return lab.Prepare(filepath.Join("..", "..", ".."), dir) }
	os.Exit(sandbox.Main("scale", outside, func(p lab.Prepared) (int, error) {
		prepared = p
		return m.Run(), nil
	}))
}
