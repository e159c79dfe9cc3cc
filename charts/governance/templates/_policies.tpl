{{/*
governance.policies are the policies of this chart alone, in the form of governance.protections.
*/}}
{{- define "governance.policies" -}}
deniedNamespaces:
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineClone]
  operations: [CREATE]
  values: "[request.namespace]"
  allowed: "!(value in variables.params)"
  message: "'namespace ' + variables.refused[0] + ' is not for virtual machines; use another one'"

# KubeMacPool fills in addresses before any policy sees the object, so an address of its range is taken for one of its own.
# The forms of an address are those of Go's net.ParseMAC, which KubeVirt reads them with. Patches are JSON in strings.
macAddresses:
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineClone, VirtualMachineRestore, VirtualMachineSnapshotContent]
  operations: [CREATE, UPDATE]
  values: >-
    ({{ include "governance.instance" . }}
    .?domain.?devices.?interfaces.orValue([]).map(i, i.?macAddress.orValue('')).filter(mac, mac != '')
    + self.spec.?newMacAddresses.orValue({}).map(name, self.spec.newMacAddresses[name])
    + self.spec.?patches.orValue([]).join(' ').findAll('([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|([0-9A-Fa-f]{4}[.]){2}[0-9A-Fa-f]{4}'))
    .map(mac, mac.lowerAscii().replace(':', '').replace('-', '').replace('.', ''))
  allowed: >-
    value >= variables.params.start && value <= variables.params.end
  message: "'MAC address ' + variables.refused.join(', ') + ' is not from KubeMacPool; remove it, or ask a user with the verb set-mac on virtualmachines'"
  verb: set-mac

kubeMacPoolNamespaces:
  objects: [Namespace]
  operations: [CREATE, UPDATE]
  values: "self.metadata.?labels[?'mutatevirtualmachines.kubemacpool.io'].orValue('') == 'ignore' ? ['ignore'] : []"
  message: "'label mutatevirtualmachines.kubemacpool.io: ignore disables KubeMacPool; remove it, or ask a user with the verb set-mac on virtualmachines'"
  verb: set-mac

deleteProtection:
  objects: [VirtualMachine]
  operations: [DELETE]
  values: "self.metadata.?labels[?'kubevirt.io/vm-delete-protection'].orValue('') in ['true', 'True'] ? ['protected'] : []"
  message: "'label kubevirt.io/vm-delete-protection protects the virtual machine; remove the label first'"

deleteProtectionRemoval:
  objects: [VirtualMachine]
  operations: [UPDATE]
  values: "self.metadata.?labels[?'kubevirt.io/vm-delete-protection'].orValue('') in ['true', 'True'] ? [] : ['unprotected']"
  message: "'label kubevirt.io/vm-delete-protection is removed; keep it, or ask a user with the verb unprotect on virtualmachines'"
  verb: unprotect

# RBAC cannot limit the Role of a rollout to the disks that it may delete.
rolloutDeletions:
  objects: [DataVolume]
  operations: [DELETE]
  values: >-
    {{ include "governance.rollout" . }}
    && self.metadata.?labels[?'vmrender.io/disk'].orValue('') != 'root' ? [self.metadata.name] : []
  message: "'DataVolume ' + variables.refused[0] + ' is not a root disk of cattle (label vmrender.io/disk: root), so a rollout does not delete it'"

# CDI asks whether who creates a DataVolume may read its source (kubevirt/containerized-data-importer v1.65.0,
# pkg/apiserver/webhooks/datavolume-mutate.go). With Argo CD that is Argo CD, for whichever tenant. A DataSource of one's own
# may lead to a source elsewhere.
cloneSources:
  objects: [PersistentVolumeClaim, DataVolume, DataSource, DataImportCron, VirtualMachine, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineClone, VirtualMachineRestore]
  operations: [CREATE, UPDATE]
  values: >-
    [{{ include "governance.disks" . }}]
    .map(disks, disks.map(d, d.?sourceRef.?namespace.orValue('')) + disks.map(d, d.?source.?pvc.?namespace.orValue(''))
    + disks.map(d, d.?source.?snapshot.?namespace.orValue('')) + disks.map(d, d.?source.?dataSource.?namespace.orValue(''))
    + disks.map(d, d.?dataSourceRef.?namespace.orValue('')) + disks.map(d, d.?storage.?dataSourceRef.?namespace.orValue(''))
    + disks.map(d, d.?pvc.?dataSourceRef.?namespace.orValue('')))[0] + {{ include "governance.patches" "namespace" }}
  allowed: >-
    value == '' || value == request.namespace || value in variables.params['']
    || value in variables.params[?request.namespace].orValue([])
  message: "'namespace ' + request.namespace + ' may not copy disks of ' + variables.refused.join(', ') + '; expected a source of its own, or of ' + variables.params[''].join(', ')"

# One list is for container disks, Jobs and imports, so the scheme of registries is left out. A path does not lead out of its
# prefix by dots. A hook sidecar is JSON in an annotation, which KubeVirt reads without regard to case
# (kubevirt/kubevirt v1.8.4, pkg/hooks/hooks.go); instance types and preferences set annotations of instances.
# CDI imports what annotations of a claim name, and copies those of a DataVolume to its claim (kubevirt/containerized-data-importer
# v1.65.0, pkg/controller/import-controller.go, createImporterPod; pkg/controller/datavolume/controller-base.go).
images:
  objects: [PersistentVolumeClaim, DataVolume, DataImportCron, VolumeImportSource, VirtualMachine, VirtualMachineInstance, VirtualMachineInstancePreset, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineInstancetype, VirtualMachineClusterInstancetype, VirtualMachinePreference, VirtualMachineClusterPreference, VirtualMachineClone, VirtualMachineRestore, Job]
  operations: [CREATE, UPDATE]
  values: >-
    (([{{ include "governance.instance" . }}].map(p,
    p.?containers.orValue([]).map(c, c.?image.orValue('')) + p.?initContainers.orValue([]).map(c, c.?image.orValue(''))
    + p.?volumes.orValue([]).map(v, v.?containerDisk.?image.or(v.?image.?reference).orValue(''))
    + [p.?domain.?firmware.?kernelBoot.?container.?image.orValue('')])[0]
    + [{{ include "governance.disks" . }}]
    .map(disks, disks.map(d, d.?source.?registry.?url.orValue('')) + disks.map(d, d.?source.?http.?url.orValue(''))
    + disks.map(d, d.?source.?s3.?url.orValue('')) + disks.map(d, d.?source.?gcs.?url.orValue(''))
    + disks.map(d, d.?source.?imageio.?url.orValue('')) + disks.map(d, d.?source.?vddk.?url.orValue(''))
    + disks.map(d, d.?source.?vddk.?initImageURL.orValue(''))
    + disks.map(d, d.?source.?registry.?imageStream.optMap(name, 'imagestream/' + name).orValue('')))[0]
    + [{{ include "governance.annotations" . }}].map(all, all.map(a, a[?'cdi.kubevirt.io/storage.import.endpoint'].orValue(''))
    + all.map(a, a[?'cdi.kubevirt.io/storage.pod.vddk.initimageurl'].orValue(''))
    + all.map(a, a[?'cdi.kubevirt.io/storage.import.registryImageStream'].optMap(name, 'imagestream/' + name).orValue('')))[0])
    .filter(image, image != '').map(image, image.startsWith('docker://') ? image.substring(9) : image)
    + [{{ include "governance.annotations" . }}.map(a, string(a[?'hooks.kubevirt.io/hookSidecars'].orValue(''))).join(' ').trim()]
    .map(text, text.contains('\\') || (text != '' && !text.matches('(?i)"image"')) ? ['of the hook sidecar ' + text]
    : text.findAll('(?i)"image"[^"]*"[^"]*"').map(i, i.substring(7).replace('"', '').replace(':', '', 1).trim()))[0]
    + {{ include "governance.patches" "image|url|sidecar|endpoint" }})
  allowed: >-
    !value.matches('/([.]|%2[eE]){1,2}(/|$)') && variables.params.exists(prefix, prefix.endsWith('/') ? value.startsWith(prefix)
    : value == prefix || value.startsWith(prefix + ':') || value.startsWith(prefix + '@'))
  message: "'image ' + variables.refused.join(', ') + ' is not allowed; expected one of ' + variables.params.join(', ')"

# Who names a ServiceAccount of a namespace has its rights, by the token in the pod or on the disk. A Secret of this type has the
# token of any ServiceAccount of its namespace, and a VM can have any Secret as a disk. OpenShift makes such Secrets itself.
serviceAccounts:
  objects: [DataVolume, DataImportCron, VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineClone, VirtualMachineRestore, Job, Secret]
  operations: [CREATE, UPDATE]
  values: >-
    request.resource.resource == 'secrets' ? (self.?type.orValue('') == 'kubernetes.io/service-account-token'
    && !(request.userInfo.username in ['system:serviceaccount:kube-system:tokens-controller', 'system:serviceaccount:openshift-infra:serviceaccount-pull-secrets-controller', 'system:kube-controller-manager'])
    ? [self.metadata.?annotations[?'kubernetes.io/service-account.name'].orValue('')] : []) :
    ([{{ include "governance.instance" . }}].map(p,
    (p.?containers.hasValue() ? [p.?serviceAccountName.orValue('') == '' ? p.?serviceAccount.orValue('') : p.?serviceAccountName.orValue('')] : [])
    .map(name, name == '' ? 'default' : name)
    + (p.?containers.hasValue() ? [] : [p.?serviceAccountName.orValue('')])
    + p.?volumes.orValue([]).map(v, v.?serviceAccount.?serviceAccountName.orValue('')))[0]
    + self.spec.?virtualMachineTemplate.?spec.or(self.spec.?source.?virtualMachine.?spec).orValue(self.spec).?dataVolumeTemplates.orValue([])
    .map(t, t.?spec.?serviceAccountName.orValue(''))
    + (request.resource.resource == 'dataimportcrons' ? [self.spec.?serviceAccountName.orValue('')] : []))
    .filter(name, name != '') + {{ include "governance.patches" "serviceaccount" }}
  allowed: >-
    variables.params.exists(name, name.startsWith('*') ? value.endsWith(name.substring(1)) : value == name)
  message: "'service account ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

interfaceModels:
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineClone, VirtualMachineRestore]
  operations: [CREATE, UPDATE]
  values: >-
    {{ include "governance.instance" . }}
    .?domain.?devices.?interfaces.orValue([]).map(i, i.?model.orValue('virtio'))
    + {{ include "governance.patches" "model" }}
  allowed: "value in variables.params"
  message: "'interface model ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

# KubeVirt takes the name for that of a VirtualMachineClusterInstancetype where the kind is not given; users make the
# namespaced ones themselves.
instancetypes:
  objects: [VirtualMachine, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineClone, VirtualMachineRestore]
  operations: [CREATE, UPDATE]
  values: >-
    {{ include "governance.virtualMachines" . }}.map(m, m.?instancetype.orValue({}))
    .map(i, (i.?kind.orValue('').lowerAscii().startsWith('virtualmachineinstancetype') ? 'VirtualMachineInstancetype/' : '') + i.?name.orValue('none'))
    + {{ include "governance.patches" "instancetype" }}
  allowed: "value in variables.params"
  message: "'instance type ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

runStrategies:
  objects: [VirtualMachine, VirtualMachinePool, VirtualMachineSnapshotContent, VirtualMachineClone, VirtualMachineRestore]
  operations: [CREATE, UPDATE]
  values: >-
    {{ include "governance.virtualMachines" . }}
    .map(s, s.?runStrategy.orValue(s.?running.orValue(false) ? 'Always' : 'Halted'))
    + {{ include "governance.patches" "runstrategy|running" }}
  allowed: "value in variables.params"
  message: "'run strategy ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

requiredLabels:
  objects: [VirtualMachine]
  operations: [CREATE, UPDATE]
  values: >-
    variables.params
    .filter(l, !self.metadata.?labels[?l.split('=')[0]].optMap(v, l.endsWith('=') || l.endsWith('=' + v)).orValue(false))
  message: "'label ' + variables.refused.join(', ') + ' is missing'"
{{- end -}}

{{/*
governance.instance is CEL: the specification of the instance in a VM, a pool, a replica set, an instance or the content of a
snapshot, and that of the pod in a Job.
*/}}
{{- define "governance.instance" -}}
self.spec.?virtualMachineTemplate.?spec.?template.?spec.or(self.spec.?source.?virtualMachine.?spec.?template.?spec).or(self.spec.?template.?spec).orValue(self.spec)
{{- end -}}

{{/*
governance.disks is CEL: the specifications of the DataVolumes in a VM, a pool, the content of a snapshot, a DataVolume or a
DataImportCron, and those of a claim, a DataSource or a VolumeImportSource, which have their source in the same place.
*/}}
{{- define "governance.disks" -}}
(self.spec.?virtualMachineTemplate.?spec.or(self.spec.?source.?virtualMachine.?spec).orValue(self.spec).?dataVolumeTemplates.orValue([]).map(t, t.spec) + [self.spec.?template.?spec.orValue(self.spec)])
{{- end -}}

{{/*
governance.virtualMachines is CEL: the specification of the VM in a VM, a pool or the content of a snapshot; none of others.
*/}}
{{- define "governance.virtualMachines" -}}
(request.resource.resource in ['virtualmachineclones', 'virtualmachinerestores'] || (request.resource.resource == 'virtualmachinesnapshotcontents' && !self.spec.?source.?virtualMachine.hasValue()) ? [] : [self.spec.?virtualMachineTemplate.?spec.or(self.spec.?source.?virtualMachine.?spec).orValue(self.spec)])
{{- end -}}

{{/*
governance.annotations is CEL: the maps of annotations that an instance or a claim gets from an object.
*/}}
{{- define "governance.annotations" -}}
(self.spec.?virtualMachineTemplate.?spec.or(self.spec.?source.?virtualMachine.?spec).orValue(self.spec).?dataVolumeTemplates.orValue([]).map(t, t.?metadata.?annotations.orValue({})) + self.spec.?volumeRestoreOverrides.orValue([]).map(o, o.?annotations.orValue({})) + [self.metadata.?annotations.orValue({}), self.spec.?annotations.orValue({}), self.spec.?template.?metadata.?annotations.orValue({}), self.spec.?virtualMachineTemplate.?spec.?template.?metadata.?annotations.orValue({}), self.spec.?source.?virtualMachine.?spec.?template.?metadata.?annotations.orValue({})])
{{- end -}}

{{/*
governance.patches is CEL: the patches of a clone or a restore that could set a field, each with a word before it that makes it
no allowed value. KubeVirt applies these JSON patches to the new VM as an account that no policy is for. A field
is written in a path or a value, in whichever case; or with escapes, or it is copied from a text elsewhere.
Usage: {{ include "governance.patches" "image|url" }}
*/}}
{{- define "governance.patches" -}}
self.spec.?patches.orValue([]).filter(p, p.contains('\\') || p.matches('(?i){{ . }}|"(copy|move)"')).map(p, 'of the patch ' + p)
{{- end -}}
