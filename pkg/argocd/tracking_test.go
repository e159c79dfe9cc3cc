package argocd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
)

func TestTrackedBy(t *testing.T) {
	for annotation, want := range map[string]string{
		"":                                       "",
		"web":                                    "",
		"web:kubevirt.io/VirtualMachine:prod/vm": "web",
		"team-a_web:kubevirt.io/VirtualMachine:prod/vm":    "web",
		"web:kubevirt.io/VirtualMachine:prod/another":      "",
		"web:kubevirt.io/VirtualMachineInstance:prod/vm":   "",
		"web:kubevirt.io/VirtualMachine:prod/vm:and-again": "",
	} {
		require.Equal(t, want, argocd.TrackedBy(annotation, "kubevirt.io", "VirtualMachine", "prod", "vm"), annotation)
	}
}
