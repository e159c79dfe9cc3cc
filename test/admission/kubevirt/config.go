package kubevirt

import (
	"kubevirt.io/kubevirt/pkg/testutils"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
)

// Config is KubeVirt's configuration as the webhooks have it.
func Config() *virtconfig.ClusterConfig {
	config, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(configuration())
	return config
}
