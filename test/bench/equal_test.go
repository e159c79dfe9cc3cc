package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const virtualMachine = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: vms}
spec:
  template:
    spec:
      domain: {firmware: {uuid: 6a1a24a1, serial: 8521b45e, bootloader: {efi: {}}}, cpu: {sockets: 4}}
      volumes:
        - name: cloudinitdisk
          cloudInitNoCloud:
            userData: |
              #cloud-config
              user: alice
              packages:
                - qemu-guest-agent
`

func TestFormatsAreReadAlike(t *testing.T) {
	list := `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a","namespace":"vms"},"spec":{"template":{"spec":{
"domain":{"firmware":{"bootloader":{"efi":{}}},"cpu":{"sockets":4}},
"volumes":[{"name":"cloudinitdisk","cloudInitNoCloud":{"userData":"#cloud-config\npackages: [qemu-guest-agent]\nuser: alice\n"}}]}}}}]}`
	fromYAML, err := parseObjects([]byte("---\n# Source: chart\n" + virtualMachine + "---\n"))
	require.NoError(t, err)
	fromJSON, err := parseObjects([]byte(list))
	require.NoError(t, err)
	require.Len(t, fromYAML, 1)
	require.Contains(t, fromYAML, "VirtualMachine vms/a")
	require.Empty(t, differences("", fromYAML, fromJSON))
}

func TestAllListsAreRead(t *testing.T) {
	list := `{"apiVersion":"v1","kind":"List","items":[{"kind":"Secret","metadata":{"name":"%s"}}]}` + "\n"
	read, err := parseObjects([]byte(fmt.Sprintf(list+list, "a", "b")))
	require.NoError(t, err)
	require.Len(t, read, 2)
}

func TestAnObjectMustNotOccurTwice(t *testing.T) {
	_, err := parseObjects([]byte(virtualMachine + "---\n" + virtualMachine))
	require.ErrorContains(t, err, "VirtualMachine vms/a occurs twice")
}

func TestDifferences(t *testing.T) {
	want := object{"same": 1.0, "list": []any{"x", "y"}, "map": object{"a": 1.0}, "gone": object{}, "short": []any{}}
	got := object{"same": 1.0, "list": []any{"x", "z"}, "map": object{"a": "1"}, "new": true, "short": []any{1.0}}
	require.Equal(t, []string{
		`gone: {}, null`,
		`list[1]: "y", "z"`,
		`map.a: 1, "1"`,
		`new: null, true`,
		`short: [], [1]`,
	}, differences("", want, got))
}
