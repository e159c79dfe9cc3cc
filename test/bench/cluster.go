package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// exported is the time at which the cluster has all VMs, in RFC 3339.
const exported = "2026-01-02T03:04:05Z"

// export returns the path of the export of a cluster that has the fleet of n virtual machines.
func (dir inputs) export(n int) string {
	return filepath.Join(string(dir), fmt.Sprintf("export-%d.json", n))
}

// foreign returns the path of the export of a cluster that has the same virtual machines, which are not managed by
// Argo CD or vmrender.
func (dir inputs) foreign(n int) string {
	return filepath.Join(string(dir), fmt.Sprintf("foreign-%d.json", n))
}

// writeExport writes the state of a cluster that has what a command renders: its VirtualMachines as the API server,
// KubeVirt and change complete them, and the instance of each. The form is that of "kubectl get --output json".
func writeExport(ctx context.Context, fleet command, path string, change func(object) object) error {
	text, err := fleet.output(ctx)
	if err != nil {
		return err
	}
	var rendered struct{ Items []object }
	if err := json.Unmarshal(text, &rendered); err != nil {
		return fmt.Errorf("reading what %s %q wrote: %w", fleet.Path, fleet.Args, err)
	}
	items := make([]any, 0, 2*len(rendered.Items))
	for _, vm := range rendered.Items {
		items = append(items, instanceOf(vm), change(stored(vm)))
	}
	list := object{"apiVersion": "v1", "kind": "List", "metadata": object{"resourceVersion": ""}, "items": items}
	if text, err = kubectlJSON(list); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// kubectlJSON returns an object as kubectl prints it (k8s.io/cli-runtime v0.34, pkg/printers/json.go).
func kubectlJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "    ")
	err := out.Encode(value)
	return text.Bytes(), err
}

// managed returns a VirtualMachine as it is.
func managed(vm object) object { return vm }

// unmanaged returns a VirtualMachine without the annotations and labels of vmrender and Argo CD.
func unmanaged(vm object) object {
	metadata := with(at(vm, "metadata"), nil)
	for _, kind := range []string{"labels", "annotations"} {
		kept := with(metadata[kind], nil)
		maps.DeleteFunc(kept, func(key string, _ any) bool {
			group, _, _ := strings.Cut(key, "/")
			return key == "app.kubernetes.io/managed-by" || group == "vmrender.io" || group == "argocd.argoproj.io"
		})
		metadata[kind] = kept
	}
	return with(vm, object{"metadata": metadata})
}

// stored returns a VirtualMachine as the cluster stores it.
func stored(vm object) object {
	name := nameOf(vm)
	metadata := with(at(vm, "metadata"), object{
		"creationTimestamp": exported, "generation": 1, "uid": uid("vm", name), "resourceVersion": "1234567",
		"finalizers": []any{"kubevirt.io/virtualMachineControllerFinalize"},
		"annotations": with(at(vm, "metadata", "annotations"), object{
			"argocd.argoproj.io/tracking-id":           "bench:kubevirt.io/VirtualMachine:vms/" + name,
			"kubevirt.io/latest-observed-api-version":  "v1",
			"kubevirt.io/storage-observed-api-version": "v1",
		}),
	})
	return with(vm, object{"metadata": metadata, "status": object{
		"conditions": conditions(), "created": true, "ready": true, "printableStatus": "Running", "runStrategy": "Always",
		"desiredGeneration": 1, "observedGeneration": 1,
		"volumeSnapshotStatuses": []any{
			object{"enabled": true, "name": "rootdisk"}, object{"enabled": true, "name": "data0"},
			object{
				"enabled": false, "name": "cloudinitdisk",
				"reason": "Snapshot is not supported for this volumeSource type [cloudinitdisk]",
			},
		},
	}})
}

// instanceOf returns the instance that a VirtualMachine runs as.
func instanceOf(vm object) object {
	name := nameOf(vm)
	return object{
		"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
		"metadata": object{
			"name": name, "namespace": "vms", "uid": uid("vmi", name), "resourceVersion": "1234568", "generation": 9,
			"creationTimestamp": exported,
			"labels":            with(at(vm, "spec", "template", "metadata", "labels"), object{"kubevirt.io/nodeName": "node1"}),
			"annotations":       at(vm, "spec", "template", "metadata", "annotations"),
			"finalizers":        []any{"kubevirt.io/virtualMachineControllerFinalize", "foregroundDeleteVirtualMachine"},
			"ownerReferences": []any{object{
				"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": name, "uid": uid("vm", name),
				"controller": true, "blockOwnerDeletion": true,
			}},
		},
		"spec":   at(vm, "spec", "template", "spec"),
		"status": running(vm),
	}
}

// running returns the status of an instance that runs.
func running(vm object) object {
	volumes := []any{}
	disks, _ := at(vm, "spec", "template", "spec", "volumes").([]any)
	for _, disk := range disks {
		volumes = append(volumes, object{"name": at(disk, "name"), "target": "vda"})
	}
	owner := uid("vm", nameOf(vm))
	return object{
		"phase": "Running", "nodeName": "node1", "launcherContainerImageVersion": "virt-launcher:v1.6.0",
		"virtualMachineRevisionName": "revision-start-vm-" + owner + "-1",
		"activePods":                 object{uid("pod", nameOf(vm)): "node1"},
		"conditions":                 conditions(),
		"guestOSInfo":                object{"id": "centos", "name": "CentOS Stream", "version": "9", "machine": "x86_64"},
		"interfaces": []any{
			object{
				"infoSource": "domain, guest-agent", "interfaceName": "eth0", "ipAddress": "10.128.0.7",
				"mac": "02:00:00:00:00:01", "name": "default",
			},
			object{"infoSource": "domain, guest-agent", "interfaceName": "eth1", "mac": "02:00:00:00:00:02"},
		},
		"machine":         object{"type": "pc-q35-rhel9.6.0"},
		"memory":          object{"guestAtBoot": "16Gi", "guestCurrent": "16Gi", "guestRequested": "16Gi"},
		"migrationMethod": "LiveMigration", "migrationTransport": "Unix", "qosClass": "Burstable", "runtimeUser": 107,
		"phaseTransitionTimestamps": []any{
			object{"phase": "Pending", "phaseTransitionTimestamp": exported},
			object{"phase": "Running", "phaseTransitionTimestamp": exported},
		},
		"volumeStatus": volumes,
	}
}

// conditions returns those of a VM that runs and can migrate.
func conditions() []any {
	var all []any
	for _, kind := range []string{"Ready", "LiveMigratable", "StorageLiveMigratable"} {
		all = append(all, object{"type": kind, "status": "True", "lastProbeTime": nil, "lastTransitionTime": exported})
	}
	return all
}

func nameOf(vm object) string {
	name, _ := at(vm, "metadata", "name").(string)
	return name
}

// with returns a copy of an object with more fields.
func with(value any, more object) object {
	all := object{}
	fields, _ := value.(object)
	maps.Copy(all, fields)
	maps.Copy(all, more)
	return all
}

// uid returns a UID that depends only on the object.
func uid(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "/" + name))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
