// Package wiring is what the controllers and webhooks of every version of KubeVirt are made from.
package wiring

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/client-go/kubevirt"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
)

// Cluster is a cluster as virt-api and virt-controller see it.
type Cluster struct {
	Informers

	Client    kubecli.KubevirtClient
	Generated kubevirt.Interface
	Config    *virtconfig.ClusterConfig
	Events    record.EventRecorder
	// Launcher is the image of the instances' Pods.
	Launcher string
	// Accounts are those of KubeVirt itself.
	Accounts map[string]struct{}
}

// Informers are the objects that the controllers know about.
type Informers struct {
	Machines, Instances, Migrations, KubeVirts           cache.SharedIndexInformer
	DataVolumes, DataSources, Profiles, CDIs, CDIConfigs cache.SharedIndexInformer
	Pods, Claims, Namespaces, Revisions, Classes, Quotas cache.SharedIndexInformer
	Nodes                                                cache.SharedIndexInformer
	// Types are the instance types and preferences, which the clients know.
	Types cache.SharedIndexInformer
}

// Paths and accounts of virt-controller that no test depends on.
const (
	QEMU     = 107 // its group
	Timeout  = 240 // in seconds
	Share    = "share"
	Library  = "lib"
	Disks    = "ephemeral"
	Images   = "container"
	Hotplug  = "hotplug"
	Exporter = "export"
)
