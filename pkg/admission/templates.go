package admission

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

type template = kubevirtv1.DataVolumeTemplateSpec

var templateRules = []row[template]{
	{
		Rule:   Rule{ID: "template-name", Kind: rule.MissingKey, Field: "metadata.name", Problem: "missing", Source: sourceTemplate},
		broken: plain(func(d *template) bool { return d.Name == "" }),
	},
	{
		Rule: Rule{
			ID: "template-namespace", Kind: rule.Refused, Field: "metadata.namespace", Source: sourceTemplate,
			Problem: "a disk of a VM is in the namespace of the VM; remove it",
		},
		broken: func(s *subject, d *template) bool {
			return d.Namespace != "" && s.vm.Namespace != "" && d.Namespace != s.vm.Namespace
		},
	},
	{
		Rule: Rule{
			ID: "template-storage", Kind: rule.Refused, Field: "spec.storage", Source: sourceTemplate, Problem: "expected exactly one of storage and pvc",
		},
		broken: plain(func(d *template) bool { return count(d.Spec.PVC != nil, d.Spec.Storage != nil) != 1 }),
	},
	{
		Rule: Rule{
			ID: "template-source", Kind: rule.Refused, Field: "spec.source", Source: sourceTemplate,
			Problem: "expected exactly one source: one under source, sourceRef, or dataSource or dataSourceRef under storage",
		},
		broken: plain(func(d *template) bool {
			foreign := d.Spec.PVC != nil && (d.Spec.PVC.DataSource != nil || d.Spec.PVC.DataSourceRef != nil) ||
				d.Spec.Storage != nil && (d.Spec.Storage.DataSource != nil || d.Spec.Storage.DataSourceRef != nil)
			own := d.Spec.Source != nil || d.Spec.SourceRef != nil
			return foreign == own || d.Spec.Source != nil && countOrigins(d) != 1
		}),
	},
	{
		Rule: Rule{
			ID: "template-volume", Kind: rule.Unpaired, Problem: "DataVolume template without a volume that uses it", Source: sourceTemplate,
		},
		broken: func(s *subject, d *template) bool {
			for i := range s.Volumes {
				v := &s.Volumes[i]
				if v.DataVolume != nil && v.DataVolume.Name == d.Name ||
					v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == d.Name {
					return false
				}
			}
			return true
		},
	},
}

// countOrigins returns the number of sources of a DataVolume.
func countOrigins(d *template) int {
	o := d.Spec.Source
	return count(o.HTTP != nil, o.S3 != nil, o.GCS != nil, o.Registry != nil, o.PVC != nil, o.Upload != nil, o.Blank != nil,
		o.Imageio != nil, o.VDDK != nil, o.Snapshot != nil)
}

var credentialRules = []row[kubevirtv1.AccessCredential]{
	{
		Rule: Rule{
			ID: "credential", Kind: rule.Conflict, Source: sourceInstance, Problem: "expected exactly one of sshPublicKey and userPassword",
		},
		broken: plain(func(c *kubevirtv1.AccessCredential) bool {
			return count(c.SSHPublicKey != nil, c.UserPassword != nil) != 1
		}),
	},
	{
		Rule: Rule{
			ID: "credential-secret", Kind: rule.MissingKey, Source: sourceInstance, Problem: "missing source; expected the name of a Secret",
		},
		broken: plain(func(c *kubevirtv1.AccessCredential) bool {
			return c.SSHPublicKey != nil && c.SSHPublicKey.Source.Secret == nil || c.UserPassword != nil && c.UserPassword.Source.Secret == nil
		}),
	},
	{
		Rule: Rule{
			ID: "credential-method", Kind: rule.Conflict, Source: sourceInstance,
			Problem: "expected exactly one propagationMethod: noCloud, configDrive or qemuGuestAgent, and for a password the latter",
		},
		broken: plain(func(c *kubevirtv1.AccessCredential) bool {
			if c.UserPassword != nil && c.UserPassword.PropagationMethod.QemuGuestAgent == nil {
				return true
			}
			if c.SSHPublicKey == nil {
				return false
			}
			m := &c.SSHPublicKey.PropagationMethod
			return count(m.NoCloud != nil, m.ConfigDrive != nil, m.QemuGuestAgent != nil) != 1
		}),
	},
	{
		Rule: Rule{
			ID: "credential-users", Kind: rule.MissingKey, Field: "sshPublicKey.propagationMethod.qemuGuestAgent.users",
			Problem: "missing; expected at least one user", Source: sourceInstance,
		},
		broken: plain(func(c *kubevirtv1.AccessCredential) bool {
			return c.SSHPublicKey != nil && c.SSHPublicKey.PropagationMethod.QemuGuestAgent != nil &&
				len(c.SSHPublicKey.PropagationMethod.QemuGuestAgent.Users) == 0
		}),
	},
	{
		Rule: Rule{
			ID: "credential-volume", Kind: rule.Unpaired, Field: "sshPublicKey.propagationMethod", Source: sourceInstance,
			Problem: "needs a cloud-init volume of the same kind, cloudInitNoCloud or cloudInitConfigDrive",
		},
		broken: func(s *subject, c *kubevirtv1.AccessCredential) bool {
			if c.SSHPublicKey == nil {
				return false
			}
			var noCloud, configDrive bool
			for i := range s.Volumes {
				noCloud = noCloud || s.Volumes[i].CloudInitNoCloud != nil
				configDrive = configDrive || s.Volumes[i].CloudInitConfigDrive != nil
			}
			m := &c.SSHPublicKey.PropagationMethod
			return m.NoCloud != nil && !noCloud || m.ConfigDrive != nil && !configDrive
		},
	},
}
