package kubevirt

import (
	"kubevirt.io/kubevirt/pkg/testutils"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
)

// Config returns KubeVirt's configuration as the webhooks see it.
func Config() *virtconfig.ClusterConfig {
	config, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(configuration())
	return config
}
