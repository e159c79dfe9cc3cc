package e2e_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	prepare "github.com/vmrender/vmrender/test/e2e/lab"
	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

// prepared describes what is prepared outside the sandbox.
type prepared = prepare.Prepared

func TestMain(m *testing.M) {
	flag.Parse()
	outside := func(dir string) (prepared, error) { return prepare.Prepare(filepath.Join("..", ".."), dir) }
	os.Exit(sandbox.Main("e2e", outside, func(p prepared) (int, error) { return runLab(m, p) }))
}
