package resolve_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// TestInheritedFlavor checks which VMs have the name of an inherited flavor: those with a part of its size.
func TestInheritedFlavor(t *testing.T) {
	machines, problems := fleettest.Load(t,
		"defaults: {flavor: small}\nvms: {a: {cpu: 3, memory: 3Gi}, b: {memory: 3Gi}, "+
			"c: {cpu: {model: x}, memory: 3Gi}, d: {cpu: {cores: 3}, memory: {guest: 3Gi}}, e: {flavor: medium}}\n")
	require.Empty(t, problems)
	got := map[string]string{}
	for _, m := range machines {
		got[m.Name] = m.Flavor
	}
	require.Equal(t, map[string]string{"a": "custom", "b": "small", "c": "small", "d": "custom", "e": "medium"}, got)
}

// macSuffix returns the last three bytes of a derived MAC address.
func macSuffix(vm string) [3]byte {
	sum := sha256.Sum256([]byte("mac\x00f\x00ns\x00" + vm + "\x00default"))
	return [3]byte(sum[:3])
}

// colliding returns two VMs whose derived MAC addresses are the same. With 2^24 possible
// addresses, about 5,000 names are enough for even odds.
func colliding(t *testing.T) (a, b string) {
	seen := map[[3]byte]string{}
	for i := range 100_000 {
		name := fmt.Sprintf("vm%d", i)
		sum := macSuffix(name)
		if first, ok := seen[sum]; ok {
			return first, name
		}
		seen[sum] = name
	}
	t.Fatal("no collision")
	return "", ""
}

func TestDerivedMACs(t *testing.T) {
	a, b := colliding(t)
	dir := fleettest.Unpack(t, txtar.Parse([]byte(
		"-- fleet.yaml --\n"+fleettest.Header+"identity: {macPrefix: \"02:a1:b2\"}\n"+
			"-- x.yaml --\nvms: {"+a+": {}, other: {}}\n-- y.yaml --\nvms: {"+b+": {}}\n")))
	f, diags := inventory.Load(dir+"/x.yaml", fleet.Options{})
	require.Empty(t, fleettest.Problems(diags, dir))
	sum := macSuffix("other")
	require.Equal(t, fmt.Sprintf("02:a1:b2:%02x:%02x:%02x", sum[0], sum[1], sum[2]), f.Machines[0].NICs[0].MAC)
	_, diags = inventory.Load(dir, fleet.Options{})
	problems := fleettest.Problems(diags, dir)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "duplicate MAC address \"02:a1:b2:")
}

func TestIdentityOff(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte("-- fleet.yaml --\n"+fleettest.Header+
		"identity: {uuid: false, serial: false}\nvms: {a: {}}\n")))
	f, diags := inventory.Load(dir, fleet.Options{})
	require.Empty(t, fleettest.Problems(diags, dir))
	require.Empty(t, f.Machines[0].Firmware.UUID)
	require.Empty(t, f.Machines[0].Firmware.Serial)
	require.Empty(t, f.Machines[0].NICs[0].MAC)
}
