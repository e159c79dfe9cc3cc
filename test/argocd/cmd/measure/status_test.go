package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatusSize(t *testing.T) {
	vm := func(name string) string {
		return `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"` + name + `","namespace":"prod"}}`
	}
	size := func(manifests ...string) int64 {
		bytes, err := statusSize(manifests)
		require.NoError(t, err)
		return bytes
	}
	one := size(vm("web"))
	require.Equal(t, one+3*int64(len("-long")), size(vm("web-long")), "a name stands in the state, the result and its message")
	require.InDelta(t, 300, size(vm("web"), vm("app"), vm("sql"))-size(vm("web"), vm("app")), 100)
	_, err := statusSize([]string{"{"})
	require.Error(t, err)
}
