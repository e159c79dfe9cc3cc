package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
)

// The VMs of the workload draw from these values. The catalog of fleet.yaml and
// the chart define all of them.
var (
	operatingSystems = [...]string{"rhel8", "rhel9", "centos-stream9", "centos-stream10", "fedora"}
	storageClasses   = [...]string{"ceph", "ceph-fast", "nas", "lvms"}
	networks         = [...]string{"vlan2001", "vlan2002", "vlan2003", "vlan2004", "vlan2005", "vlan2006"}
	teams            = [...]string{"payments", "billing", "search", "identity", "logistics", "research"}
	users            = [...]string{"alice", "bob", "carol", "dave", "erin", "frank"}
)

// machine is one virtual machine of the workload: the eleven values that differ
// between VMs. Sizes are Kubernetes quantities.
type machine struct {
	Name         string
	OS           string
	Cores        int
	Memory       string
	RootDisk     string
	DataDisk     string
	StorageClass string
	Network      string
	Team         string
	User         string
	SSHKey       string
}

// newMachine returns VM number index. It depends only on the index, so that a
// fleet of 1,000 is the beginning of the fleet of 10,000.
func newMachine(index int) machine {
	random := rand.New(rand.NewPCG(0x766d72656e646572, uint64(index)))
	return machine{
		Name:         fmt.Sprintf("vm-%06d", index),
		OS:           operatingSystems[random.IntN(len(operatingSystems))],
		Cores:        1 << random.IntN(5),
		Memory:       fmt.Sprintf("%dGi", 4<<random.IntN(5)),
		RootDisk:     fmt.Sprintf("%dGi", 40+10*random.IntN(7)),
		DataDisk:     fmt.Sprintf("%dGi", 20+5*random.IntN(90)),
		StorageClass: storageClasses[random.IntN(len(storageClasses))],
		Network:      networks[random.IntN(len(networks))],
		Team:         teams[random.IntN(len(teams))],
		User:         users[random.IntN(len(users))],
		SSHKey:       sshKey(random),
	}
}

func (m machine) itself() machine { return m }

// sshKey returns a well-formed Ed25519 public key of random bytes, in the wire
// form of RFC 8709 section 4: the algorithm's name and 32 bytes, each preceded by its length.
func sshKey(random *rand.Rand) string {
	const algorithm = "ssh-ed25519"
	wire := append([]byte{0, 0, 0, byte(len(algorithm))}, algorithm...)
	wire = append(wire, 0, 0, 0, 32)
	for range 32 {
		wire = append(wire, byte(random.Uint32()))
	}
	return algorithm + " " + base64.StdEncoding.EncodeToString(wire)
}
