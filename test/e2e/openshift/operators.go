package openshift

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	nmstateKind       = kind("nmstate.io", "v1", "NMState")
	networkPolicyKind = kind("nmstate.io", "v1", "NodeNetworkConfigurationPolicy")
	networkKind       = kind("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition")
	deschedulerKind   = kind("operator.openshift.io", "v1", "KubeDescheduler")
	importKind        = kind("cdi.kubevirt.io", "v1beta1", "DataImportCron")
	sourceKind        = kind("cdi.kubevirt.io", "v1beta1", "DataSource")
)

// runs reports whether the operator of a package has been installed.
func (o *OpenShift) runs(ctx context.Context, pkg string) (bool, error) {
	versions, err := o.all(ctx, versionKind)
	return slices.ContainsFunc(versions, func(v *unstructured.Unstructured) bool {
		name, _ := o.release.providing(v.GetName())
		return name == pkg && get[string](v, "status", "phase") == "Succeeded"
	}), err
}

// handlersStart is the number of steps that NMState's handlers take to start.
const handlersStart = 10

// nmstate defines node networks when there is an NMState. It reports no status of its own
// (nmstate/kubernetes-nmstate, controllers/operator/nmstate_controller.go; it has written one since
// October 2025).
func (o *OpenShift) nmstate(ctx context.Context) error {
	if runs, err := o.runs(ctx, "kubernetes-nmstate-operator"); err != nil || !runs {
		return err
	}
	return o.each(ctx, nmstateKind, func(*unstructured.Unstructured) error {
		if o.handlers++; o.handlers != handlersStart {
			return nil
		}
		return o.install(ctx, nil, policies)
	})
}

// nodeNetworks configures nodes, and does so again when a policy changes
// (api/shared/nodenetworkconfigurationpolicy_types.go, and
// controllers/handler/nodenetworkconfigurationpolicy_controller.go).
func (o *OpenShift) nodeNetworks(ctx context.Context) error {
	return o.each(ctx, networkPolicyKind, func(policy *unstructured.Unstructured) error {
		if o.configure(policy.GetName(), policy.GetGeneration()) {
			return o.setStatus(ctx, policy, map[string]any{"conditions": []any{condition("Progressing", true, "ConfigurationProgressing", "")}})
		}
		if reason := o.failure(policy.GetName()); reason != "" {
			return o.setStatus(ctx, policy, map[string]any{"conditions": []any{
				condition("Available", false, "FailedToConfigure", ""), condition("Degraded", true, "FailedToConfigure", reason),
				condition("Progressing", false, "ConfigurationProgressing", ""),
			}})
		}
		return o.setStatus(ctx, policy, map[string]any{"conditions": []any{
			condition("Available", true, "SuccessfullyConfigured", "all nodes successfully configured"),
			condition("Degraded", false, "SuccessfullyConfigured", ""), condition("Progressing", false, "ConfigurationProgressing", ""),
		}})
	})
}

// configure configures the nodes for a generation of a policy, and reports whether this was
// necessary.
func (o *OpenShift) configure(policy string, generation int64) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	done := o.configured[policy]
	if slices.Contains(done, generation) {
		return false
	}
	o.configured[policy] = append(done, generation)
	return true
}

// Configured returns how often a policy has configured its nodes.
func (o *OpenShift) Configured(policy string) int {
	o.lock.Lock()
	defer o.lock.Unlock()
	return len(o.configured[policy])
}

// hyperConverged deploys KubeVirt and CDI, step by step, and is Available when they are
// (kubevirt/hyperconverged-cluster-operator, docs/conditions.md).
func (o *OpenShift) hyperConverged(ctx context.Context) error {
	if runs, err := o.runs(ctx, "kubevirt-hyperconverged"); err != nil || !runs {
		return err
	}
	return o.each(ctx, o.release.HyperConvergedKind(), func(h *unstructured.Unstructured) error {
		done, err := o.deploy(ctx, h)
		if err != nil {
			return err
		}
		return o.setStatus(ctx, h, map[string]any{"observedGeneration": h.GetGeneration(), "conditions": []any{
			condition("ReconcileComplete", done, "", ""), condition("Available", done, "", ""),
			condition("Progressing", !done, "", ""), condition("Degraded", false, "", ""), condition("Upgradeable", done, "", ""),
		}})
	})
}

// deploy takes one step, and reports whether it was the last.
func (o *OpenShift) deploy(ctx context.Context, h *unstructured.Unstructured) (bool, error) {
	switch o.deployed {
	case 0:
		err := o.make(ctx, kind("", "v1", "Namespace"), "", "openshift-virtualization-os-images", nil)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return false, err
		}
	case 1:
		if err := o.Virtualize(ctx); err != nil {
			return false, err
		}
	default:
		return o.migrates(ctx, h)
	}
	o.deployed++
	return false, nil
}

// migrates reports whether virt-handler starts. It is in the network of live migrations
// (kubevirt/kubevirt v1.8.4, components/daemonsets.go), which Multus must know. It ends if it has
// no address there (cmd/virt-handler/virt-handler.go, FindMigrationIP).
func (o *OpenShift) migrates(ctx context.Context, h *unstructured.Unstructured) (bool, error) {
	name := get[string](h, o.release.Virtualization("liveMigrationConfig", "network")...)
	if name == "" {
		return true, nil
	}
	network, err := o.find(ctx, networkKind, h.GetNamespace(), name)
	if err != nil || network == nil {
		return false, err
	}
	config := get[string](network, "spec", "config")
	return strings.Contains(config, `"ipam":{`) && !strings.Contains(config, `"ipam":{}`), nil
}

// descheduler checks the KubeDescheduler (openshift/cluster-kube-descheduler-operator,
// pkg/operator/target_config_reconciler.go): profiles for VMs need KubeVirt, and PSI on the
// operator's node, which is the first one here.
func (o *OpenShift) descheduler(ctx context.Context) error {
	if runs, err := o.runs(ctx, "cluster-kube-descheduler-operator"); err != nil || !runs {
		return err
	}
	h, err := o.find(ctx, o.release.HyperConvergedKind(), "openshift-cnv", "kubevirt-hyperconverged")
	if err != nil {
		return err
	}
	return o.each(ctx, deschedulerKind, func(d *unstructured.Unstructured) error {
		reason := ""
		for _, p := range get[[]any](d, "spec", "profiles") {
			profile, _ := p.(string) //nolint:errcheck // as the schema says
			switch {
			case !strings.HasSuffix(profile, "KubeVirtRelieveAndMigrate"):
			case !holds(h, "Available"):
				reason = "profile " + profile + " can only be used when KubeVirt is properly deployed"
			case o.release.WantsPSI && !o.measuresPressure("worker-0"):
				reason = "profile " + profile + " can only be used when PSI metrics are enabled for the worker nodes"
			}
		}
		return o.setStatus(ctx, d, map[string]any{
			"conditions": []any{condition("TargetConfigControllerDegraded", reason != "", reason, "")},
		})
	})
}

// others writes the status that other operators report as soon as their objects exist.
func (o *OpenShift) others(ctx context.Context) error {
	for k, status := range map[schema.GroupVersionKind]map[string]any{
		kind("forklift.konveyor.io", "v1beta1", "ForkliftController"): {"conditions": []any{condition("Successful", true, "Successful", "")}},
		kind("metallb.io", "v1beta1", "MetalLB"):                      {"conditions": []any{condition("Available", true, "", "")}},
		kind("remediation.medik8s.io", "v1alpha1", "NodeHealthCheck"): {"phase": "Enabled"},
	} {
		err := o.each(ctx, k, func(object *unstructured.Unstructured) error { return o.setStatus(ctx, object, status) })
		if err != nil {
			return err
		}
	}
	return nil
}

// imports plays CDI: a DataImportCron imports an image, to which its DataSource points
// (kubevirt/containerized-data-importer v1.65.0, pkg/controller/dataimportcron-controller.go).
func (o *OpenShift) imports(ctx context.Context) error {
	return o.each(ctx, importKind, func(c *unstructured.Unstructured) error {
		name := get[string](c, "spec", "managedDataSource")
		source, err := o.find(ctx, sourceKind, c.GetNamespace(), name)
		if err != nil {
			return err
		}
		if source == nil {
			claim := map[string]any{"pvc": map[string]any{"name": name, "namespace": c.GetNamespace()}}
			return o.make(ctx, sourceKind, c.GetNamespace(), name, map[string]any{"spec": map[string]any{"source": claim}})
		}
		if err := o.setStatus(ctx, source, map[string]any{"conditions": []any{condition("Ready", true, "Ready", "")}}); err != nil {
			return err
		}
		return o.setStatus(ctx, c, map[string]any{"conditions": []any{
			condition("UpToDate", true, "UpToDate", ""), condition("Progressing", false, "NoImport", ""),
		}})
	})
}
