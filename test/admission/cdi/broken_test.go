package cdi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/broken"
	"github.com/vmrender/vmrender/test/admission/cdi"
	"github.com/vmrender/vmrender/test/admission/object"
)

// judges returns the judges of a DataVolume, by the names that the variants use.
func judges(t *testing.T) map[string]object.Judge {
	t.Helper()
	schema, err := cdi.NewSchema()
	require.NoError(t, err)
	webhook, err := cdi.NewWebhook()
	require.NoError(t, err)
	return map[string]object.Judge{
		"schema":  schema.Problems,
		"decode":  cdi.Decode,
		"webhook": webhook.Problems,
	}
}

func TestRefused(t *testing.T) {
	variants := broken.ReadVariants(t, "testdata/refused.yaml")
	broken.Run(t, broken.ReadManifest(t, "testdata/datavolume.yaml"), judges(t), variants)
}

func TestAccepted(t *testing.T) {
	variants := broken.ReadVariants(t, "testdata/accepted.yaml")
	broken.Run(t, broken.ReadManifest(t, "testdata/datavolume.yaml"), judges(t), variants)
}
