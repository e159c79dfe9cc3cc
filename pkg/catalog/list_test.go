package catalog

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// The listing is the whole catalog as shown by `vmrender catalog -o json`, so that a
// review shows the effects of a change of the data.
func TestListing(t *testing.T) {
	s := loadSound(t, `
os:
  server2019: {from: windows2019, image: {dataSource: os-images/server2019}}
  rhel9: {defaults: {firmware: bios, tpm: true}}
flavors: {db: {cpu: {sockets: 2, cores: 4, dedicated: true}, memory: {guest: 32Gi, hugepages: 1Gi}}}
networks: {vlan2003: {nad: default/vlan2003, vlan: 2003}}
images: {golden: {http: "https://images.example.com/golden.qcow2", version: "7"}}
storageClasses: {ceph: {name: ceph-rbd, accessMode: ReadWriteMany, volumeMode: Block}}`)
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	for _, rows := range []any{
		s.ListOS(), s.ListFlavors(), s.ListTraits(), s.ListNetworks(), s.ListImages(), s.ListStorageClasses(),
	} {
		require.NoError(t, enc.Encode(rows))
	}
	text := bytes.ReplaceAll(got.Bytes(), []byte("},{"), []byte("},\n{"))
	golden.Equal(t, "testdata/listing.golden.json", string(text))
}
