// Command modules prints the CustomResourceDefinitions of the kinds in layers, as
// far as Go modules contain them, as YAML documents. It is a separate module so
// that the tests and those modules can use different versions.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"kubevirt.io/application-aware-quota/pkg/aaq-operator/resources"
)

// source is a module with files that contain definitions.
type source struct {
	module string
	files  []string
}

// sources returns the modules that contain definitions as files; carried.go makes
// them requirements.
func sources() []source {
	return []source{
		{"github.com/k8snetworkplumbingwg/network-attachment-definition-client", []string{"artifacts/networks-crd.yaml"}},
		{"github.com/kubernetes-csi/external-snapshotter/client/v8", []string{
			"config/crd/snapshot.storage.k8s.io_volumesnapshotclasses.yaml",
		}},
		{"github.com/medik8s/node-healthcheck-operator", []string{"config/crd/bases/remediation.medik8s.io_nodehealthchecks.yaml"}},
		{"github.com/openshift/api", []string{
			"config/v1/zz_generated.crd-manifests/0000_03_marketplace_01_operatorhubs.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinesets-Default.crd.yaml",
			"payload-manifests/crds/0000_10_config-operator_01_imagedigestmirrorsets.crd.yaml",
			"payload-manifests/crds/0000_10_config-operator_01_imagetagmirrorsets.crd.yaml",
			"payload-manifests/crds/0000_80_machine-config_01_kubeletconfigs.crd.yaml",
			"payload-manifests/crds/0000_80_machine-config_01_machineconfigpools-Default.crd.yaml",
			"payload-manifests/crds/0000_80_machine-config_01_machineconfigs.crd.yaml",
		}},
		{"github.com/operator-framework/api", []string{
			"crds/operators.coreos.com_catalogsources.yaml",
			"crds/operators.coreos.com_clusterserviceversions.yaml",
			"crds/operators.coreos.com_installplans.yaml",
			"crds/operators.coreos.com_operatorgroups.yaml",
			"crds/operators.coreos.com_operators.yaml",
			"crds/operators.coreos.com_subscriptions.yaml",
		}},
		{"github.com/vmware-tanzu/velero", []string{
			"config/crd/v1/bases/velero.io_backupstoragelocations.yaml",
			"config/crd/v1/bases/velero.io_schedules.yaml",
		}},
	}
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "modules: %v\n", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer) error {
	var documents [][]byte
	for _, name := range []string{"applicationawareclusterresourcequota", "applicationawareresourcequota"} {
		documents = append(documents, []byte(resources.AAQCRDs[name]))
	}
	for _, s := range sources() {
		dir, err := directory(s.module)
		if err != nil {
			return err
		}
		for _, file := range s.files {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			documents = append(documents, bytes.TrimPrefix(text, []byte("---\n")))
		}
	}
	_, err := stdout.Write(bytes.Join(documents, []byte("\n---\n")))
	return err
}

// directory returns the directory in which the go command keeps a module after
// fetching it.
func directory(module string) (string, error) {
	output, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("fetching %s: %w\n%s", module, err, output)
	}
	var found struct{ Dir string }
	return found.Dir, json.Unmarshal(output, &found)
}
