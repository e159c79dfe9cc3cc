//go:build never

package main

// The files of these modules are read; nothing is compiled.
import (
	_ "github.com/k8snetworkplumbingwg/network-attachment-definition-client/pkg/apis/k8s.cni.cncf.io"
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	_ "github.com/medik8s/node-healthcheck-operator/version"
	_ "github.com/openshift/api/annotations"
	_ "github.com/operator-framework/api/pkg/operators"
	_ "github.com/vmware-tanzu/velero/pkg/buildinfo"
)
