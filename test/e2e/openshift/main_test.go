package openshift_test

import (
	"testing"

	"github.com/vmrender/vmrender/test/e2e/lab"
)

var prepared lab.Prepared

func TestMain(m *testing.M) { lab.Main(m, "openshift", &prepared) }
