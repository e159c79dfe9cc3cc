package main

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewMachineIsTheSameInEveryRun(t *testing.T) {
	require.Equal(t, machine{
		Name: "vm-000007", OS: "rhel8", Cores: 2, Memory: "8Gi", RootDisk: "100Gi", DataDisk: "35Gi",
		StorageClass: "ceph", Network: "vlan2001", Team: "identity", User: "alice",
		SSHKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAXBc78Vifnsedcbcp+BLxmp/hojvUZr3nRD71713kWx",
	}, newMachine(7))
}

func TestMachinesVary(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		seen[string(newMachine(i).appendValues(nil))] = true
	}
	require.Len(t, seen, 1000)
}

func TestSSHKeyIsWellFormed(t *testing.T) {
	algorithm, encoded, _ := strings.Cut(newMachine(0).SSHKey, " ")
	wire, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Equal(t, "ssh-ed25519", algorithm)
	require.Equal(t, "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20", string(wire[:19]))
	require.Len(t, wire, 19+32)
}
