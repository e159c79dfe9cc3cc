package scale

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/gitrepo"
)

// header is the fleet: pets with a root disk, a data disk and cloud-init, so each VM is a VirtualMachine, two
// DataVolumes and a Secret.
const header = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: scale}
target: {kubevirt: "1.6", argocd: "3.2", healthChecks: true}
catalog:
  networks: {vlan1: {nad: default/vlan1}}
  storageClasses: {ceph: {name: ceph}}
defaults:
  os: debian13
  firmware: secureboot
  nics: [pod, vlan1]
  labels: {app.kubernetes.io/part-of: fleet, revision: "` + before + `"}
  annotations: {example.com/owner: "{{ .vars.team }}"}
`

// before and after are the value of the label that a commit changes.
const before, after = "1", "2"

// entry is a VM.
const entry = `  vm-%[1]d:
    cpu: %[2]d
    memory: %[3]dGi
    disks: {root: {size: %[4]dGi, storageClass: ceph}, data0: {size: %[5]dGi, storageClass: ceph}}
    cloudInit: {user: alice, sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0n9Zl5k7mQ4x2c8r1v6t3y5u7i9o0p2a4s6d]}
    vars: {team: team-%[6]d}
`

// estate is a repository with a fleet, and a directory for each Application.
type estate struct {
	*gitrepo.Repository
	scenario Scenario
	vmrender string // the program
	changes  int    // of the last Application
}

// nameOf returns the name of an Application, which is also that of its directory and namespace.
func nameOf(i int) string { return fmt.Sprintf("app-%03d", i) }

// write writes and commits the fleet, with all VMs of an Application in one file.
func (e *estate) write(ctx context.Context) (revision string, err error) {
	if err := e.Write("fleet.yaml", header); err != nil {
		return "", err
	}
	for app := range e.scenario.Applications {
		var text strings.Builder
		text.WriteString("vms:\n")
		for vm := range e.scenario.VMs {
			n := app*e.scenario.VMs + vm
			fmt.Fprintf(&text, entry, n, 1<<(n%4), 4<<(n%4), 40+10*(n%7), 20+5*(n%9), n%6)
		}
		defaults := fmt.Sprintf("namespace: %s\n", nameOf(app))
		if err := e.Write(nameOf(app)+"/_defaults.yaml", defaults); err != nil {
			return "", err
		}
		if err := e.Write(nameOf(app)+"/vms.yaml", text.String()); err != nil {
			return "", err
		}
	}
	return e.Commit(ctx, "A fleet")
}

// changeAll commits a change of every VM.
func (e *estate) changeAll(ctx context.Context) (string, error) {
	if err := e.Replace("fleet.yaml", `revision: "`+before+`"`, `revision: "`+after+`"`); err != nil {
		return "", err
	}
	return e.Commit(ctx, "Change all VMs")
}

// changeOne commits a change of the VMs of the last Application, another one each time.
func (e *estate) changeOne(ctx context.Context) (string, error) {
	name := nameOf(e.scenario.Applications - 1)
	e.changes++
	text := fmt.Sprintf("namespace: %s\nlabels: {place: rack-%d}\n", name, e.changes)
	if err := e.Write(name+"/_defaults.yaml", text); err != nil {
		return "", err
	}
	return e.Commit(ctx, "Change one directory")
}

// rendered returns the objects of the first Application, and their size as the plugin prints them.
func (e *estate) rendered(ctx context.Context) (objects []*unstructured.Unstructured, size int, err error) {
	text, err := e.run(ctx, "template", e.Path(nameOf(0)), "--output", "json")
	if err != nil {
		return nil, 0, err
	}
	if objects, err = cluster.Objects(text); err != nil {
		return nil, 0, err
	}
	for _, o := range objects {
		one, err := json.Marshal(o.Object)
		if err != nil {
			return nil, 0, err
		}
		size += len(one)
	}
	return objects, size, nil
}

// application returns the Application for a directory, on a cluster.
func (e *estate) application(ctx context.Context, i int, server string) (*unstructured.Unstructured, error) {
	name := nameOf(i)
	text, err := e.run(ctx, "app", e.Path(name), "--repo", e.URL(), "--name", name, "--namespace", name,
		"--server", server, "--generate-paths", "--argocd-namespace", argo.Namespace)
	if err != nil {
		return nil, err
	}
	objects, err := cluster.Objects(text)
	if err != nil || len(objects) != 1 {
		return nil, fmt.Errorf("one Application was expected: %w\n%s", err, text)
	}
	if e.scenario.Unvalidated {
		err = addOption(objects[0], "Validate=false")
	}
	return objects[0], err
}

// addOption adds a sync option to an Application.
func addOption(app *unstructured.Unstructured, option string) error {
	path := []string{"spec", "syncPolicy", "syncOptions"}
	options, _, err := unstructured.NestedStringSlice(app.Object, path...)
	if err != nil {
		return err
	}
	return unstructured.SetNestedStringSlice(app.Object, append(options, option), path...)
}

func (e *estate) run(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, e.vmrender, args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(e.vmrender), args[0], err, stderr.String())
	}
	return out, nil
}
