package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// install creates the cluster-wide instance types and preferences that
// virt-operator installs.
func install(ctx context.Context, client kubecli.KubevirtClient) error {
	sizes, err := components.NewClusterInstancetypes()
	if err != nil {
		return err
	}
	for _, size := range sizes {
		if _, err := client.VirtualMachineClusterInstancetype().Create(ctx, size, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	preferences, err := components.NewClusterPreferences()
	if err != nil {
		return err
	}
	for _, preference := range preferences {
		if _, err := client.VirtualMachineClusterPreference().Create(ctx, preference, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
