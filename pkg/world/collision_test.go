package world_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// moments returns what a VM may hold at some moment of a sync and the next starts.
func moments(m *world.Machine) [][]world.Thing {
	switch {
	case m.Off:
		return [][]world.Thing{nil, m.Next}
	case m.Fate == world.Comes:
		return [][]world.Thing{nil, m.Next}
	case m.Fate == world.Goes:
		return [][]world.Thing{m.Now, nil}
	}
	return [][]world.Thing{m.Now, m.Next}
}

// meetings are the things that two VMs can hold at the same moment, worked out from all orders: each VM may be at any
// of its moments while the other is at any of its own.
func meetings(all []*world.Machine) map[string]bool {
	out := map[string]bool{}
	for i, a := range all {
		for _, b := range all[:i] {
			if !a.Changes && !b.Changes {
				continue
			}
			for _, held := range moments(a) {
				for _, other := range moments(b) {
					for _, t := range held {
						if has(other, t) && !(has(a.Now, t) && has(b.Now, t)) {
							out[meeting(a, b, t)] = true
						}
					}
				}
			}
		}
	}
	return out
}

func has(list []world.Thing, t world.Thing) bool { return slices.Contains(list, t) }

func meeting(a, b *world.Machine, t world.Thing) string {
	if a.ID.Name > b.ID.Name {
		a, b = b, a
	}
	return fmt.Sprint(a.ID.Name, " ", b.ID.Name, " ", t)
}

// randomMachine returns a VM with some of three things.
func randomMachine(r *rand.Rand, name string) *world.Machine {
	some := func() (out []world.Thing) {
		for i := range 3 {
			if r.IntN(3) == 0 {
				out = append(out, world.Thing{Kind: world.Claim, Scope: "ns", Name: strconv.Itoa(i)})
			}
		}
		return out
	}
	m := &world.Machine{ID: manifest.ID{Name: name}, Now: some(), Next: some(), Off: r.IntN(4) == 0}
	m.Fate = world.Fate(r.IntN(4)) //nolint:gosec // one of four
	m.Changes = m.Fate != world.Stays || r.IntN(2) == 0
	switch m.Fate {
	case world.Comes:
		m.Now = nil
	case world.Goes:
		m.Next, m.Off = nil, false
	case world.Left:
		m.Next = m.Now
	case world.Stays:
	}
	if m.Off {
		m.Now = nil
	}
	return m
}

// Collisions are all meetings of VMs in all orders of a sync and the next starts, and each once; they end unless both
// have the thing after the last start.
func TestCollisionsAreTheMeetingsOfAllOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a seed makes the test repeatable
	found := 0
	for range 20000 {
		var all []*world.Machine
		for i := range 2 + r.IntN(3) {
			all = append(all, randomMachine(r, string(rune('a'+i))))
		}
		got := map[string]bool{}
		for _, c := range world.Collisions(all) {
			id := meeting(c.Taker, c.Holder, c.Thing)
			require.False(t, got[id], "twice: %s", id)
			got[id] = true
			both := has(c.Taker.Next, c.Thing) && has(c.Holder.Next, c.Thing)
			require.Equal(t, both, c.Until == world.Forever, id)
			require.True(t, has(c.Taker.Next, c.Thing), id)
		}
		require.Equal(t, meetings(all), got)
		found += len(got)
	}
	require.Greater(t, found, 10000)
}

// Held has what two VMs must not share, by scope: claims by namespace, addresses by network. What is only read, shared
// on purpose or unplugged is not in it.
func TestHeld(t *testing.T) {
	spec := decode(t, `{
		"domain": {
			"firmware": {"uuid": "AB", "serial": "s"},
			"devices": {
				"disks": [
					{"name": "root", "disk": {}}, {"name": "iso", "cdrom": {}}, {"name": "ro", "disk": {"readonly": true}},
					{"name": "both", "disk": {}, "shareable": true}, {"name": "ci", "disk": {}}
				],
				"interfaces": [
					{"name": "lan", "macAddress": "02-00-00-00-00-AA"},
					{"name": "gone", "state": "absent", "macAddress": "02:00:00:00:00:01"},
					{"name": "default", "macAddress": "02:00:00:00:00:02"}
				]
			}
		},
		"networks": [
			{"name": "lan", "multus": {"networkName": "lan"}}, {"name": "gone", "multus": {"networkName": "x/gone"}},
			{"name": "default", "pod": {}}
		],
		"volumes": [
			{"name": "root", "dataVolume": {"name": "v"}}, {"name": "iso", "persistentVolumeClaim": {"claimName": "iso"}},
			{"name": "ro", "persistentVolumeClaim": {"claimName": "ro"}},
			{"name": "both", "persistentVolumeClaim": {"claimName": "both"}},
			{"name": "ci", "cloudInitNoCloud": {"networkDataSecretRef": {"name": "net"}}}
		]
	}`)
	secret := decode(t, `{"stringData": {"networkdata": "version: 2\nethernets: {enp1s0: {`+
		`addresses: [10.0.0.5/24, 'fd00::0005/64'], nameservers: {addresses: [9.9.9.9]}}}"}}`)
	got := world.Addressed("ns", spec, world.Sources{Secret: func(name string) manifest.Tree {
		require.Equal(t, "net", name)
		return secret
	}})
	require.Equal(t, []world.Thing{
		{Kind: world.Claim, Scope: "ns", Name: "v"},
		{Kind: world.MAC, Scope: "ns/lan", Name: "02:00:00:00:00:aa"},
		{Kind: world.MAC, Scope: "pod", Name: "02:00:00:00:00:02"},
		{Kind: world.UUID, Name: "ab"},
		{Kind: world.Serial, Name: "s"},
		{Kind: world.IP, Scope: "ns/lan", Name: "10.0.0.5"},
		{Kind: world.IP, Scope: "x/gone", Name: "10.0.0.5"},
		{Kind: world.IP, Scope: "ns/lan", Name: "fd00::5"},
		{Kind: world.IP, Scope: "x/gone", Name: "fd00::5"},
	}, got)
}

// Static addresses are read in every format of cloud-init's network data; what is no network data has none.
func TestAddresses(t *testing.T) {
	for _, data := range []string{
		"network: {version: 2, bonds: {b0: {addresses: [10.0.0.5/24]}}}",
		"network:\n  version: 1\n  config:\n  - {type: physical, subnets: [{address: 10.0.0.5, gateway: 10.0.0.1}]}",
		`{"links": [{"id": "n"}], "networks": [{"link": "n", "type": "ipv4", "ip_address": "10.0.0.5"}]}`,
	} {
		require.Equal(t, []string{"10.0.0.5"}, world.AddressesIn(data), data)
	}
	for _, data := range []string{"", "- a", "network: 5", "ethernets: {a: {addresses: [x, 5, null]}}", "{"} {
		require.Empty(t, world.AddressesIn(data), data)
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("network: {version: 2, ethernets: {e: {addresses: [10.0.0.5/24]}}}")
	f.Add(`{"networks": [{"ip_address": "::1"}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		for _, ip := range world.AddressesIn(data) {
			require.NotEmpty(t, ip)
		}
	})
}

func decode(t *testing.T, text string) manifest.Tree {
	t.Helper()
	out := manifest.Decode([]byte(text))
	require.NotNil(t, out)
	return out
}

// Of the addresses of a guest, only those among the names are looked for; an IPv6 address has other spellings.
func TestAmong(t *testing.T) {
	spec := decode(t, `{
		"networks": [{"name": "lan", "multus": {"networkName": "lan"}}],
		"volumes": [{"name": "ci", "cloudInitNoCloud": {
			"networkData": "ethernets: {e: {addresses: [10.0.0.5/24, 'fd00::0005/64']}}"
		}}]
	}`)
	for names, want := range map[string]int{"10.0.0.5": 2, "10.0.0.6": 0, "fd00::5": 2} {
		got := world.Addressed("ns", spec, world.Sources{Among: world.Names{names: true}})
		require.Len(t, got, want, names)
	}
}

// A running VM also holds the addresses that its guest reports in networks other than the pod network, but those of its
// link, which every guest may have.
func TestHeldBy(t *testing.T) {
	instance := decode(t, `{
		"metadata": {"namespace": "ns"},
		"spec": {"networks": [{"name": "lan", "multus": {"networkName": "lan"}}, {"name": "default", "pod": {}}]},
		"status": {"interfaces": [
			{"name": "lan", "ipAddresses": ["10.0.0.5", "fd00:0:0::5", "fe80::1", "169.254.0.1", "?"]},
			{"name": "default", "ipAddresses": ["10.0.2.2"]},
			{"ipAddresses": ["172.17.0.1"]}
		]}
	}`)
	require.Equal(t, []world.Thing{
		{Kind: world.IP, Scope: "ns/lan", Name: "10.0.0.5"}, {Kind: world.IP, Scope: "ns/lan", Name: "fd00::5"},
	}, world.HeldBy(instance, world.Sources{}))
}
