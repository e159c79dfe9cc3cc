{{/*
governance.policies are the policies, by their key in the values.

objects     kinds of governance.kinds that are judged
operations  requests that are judged
values      CEL: a list of what matters in an object, `self`
allowed     CEL: whether a `value` of that list is allowed for all users; without it none is
message     CEL: the message for variables.refused, the values that were not there before and are not allowed
verb        what the requester must be allowed to do with virtual machines to have refused values all the same

What differs between sites is variables.params: what governance.parameters makes of the policy's values. It is a part of the
policy. A separate ConfigMap does not work: the API server stops watching ConfigMaps with the last policy that needs one, and
sees none when policies come back (k8s.io/apiserver v0.36.3, pkg/admission/plugin/policy/generic/policy_source.go); then
everything is refused.
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
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, VirtualMachineClone, VirtualMachineRestore]
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

# The ServiceAccount of a rollout has the name of its fleet, a hash and a suffix (pkg/render/jobs.go). RBAC cannot limit its
# Role to the disks that it may delete.
rolloutDeletions:
  objects: [DataVolume]
  operations: [DELETE]
  values: >-
    request.userInfo.username.matches('^system:serviceaccount:[^:]+:.+-[0-9a-f]{8}-rollout$')
    && self.metadata.?labels[?'vmrender.io/disk'].orValue('') != 'root' ? [self.metadata.name] : []
  message: "'DataVolume ' + variables.refused[0] + ' is not a root disk of cattle (label vmrender.io/disk: root), so a rollout does not delete it'"

# A DataVolume that came from dataVolumeTemplates belongs to its VM also when a later commit keeps it: virt-controller adopts
# and never releases (kubevirt/kubevirt v1.8.4, pkg/virt-controller/watch/vm/vm.go). When the VM goes, the garbage collector
# deletes the disk, regardless of Argo CD's annotations. Controllers that share one identity are told apart by the owner, and
# by a namespace that is not being deleted as a whole.
keptDisks:
  objects: [DataVolume]
  operations: [DELETE]
  values: >-
    request.userInfo.username in ['system:serviceaccount:kube-system:generic-garbage-collector', 'system:kube-controller-manager']
    && namespaceObject.status.phase != 'Terminating'
    && self.metadata.?ownerReferences.orValue([]).size() > 0
    && self.metadata.?labels[?'app.kubernetes.io/managed-by'].orValue('') == 'vmrender'
    && 'Delete=false' in self.metadata.?annotations[?'argocd.argoproj.io/sync-options'].orValue('').split(',')
    ? [self.metadata.name] : []
  message: >-
    'DataVolume ' + variables.refused[0] + ' is kept, but still belongs to its VM; release it: kubectl patch datavolume '
    + variables.refused[0] + ' --namespace ' + request.namespace + ' --type merge --patch \'{"metadata":{"ownerReferences":null}}\''

# CDI asks whether who creates a DataVolume may read its source (kubevirt/containerized-data-importer v1.65.0,
# pkg/apiserver/webhooks/datavolume-mutate.go). With Argo CD that is Argo CD, for whichever tenant. A DataSource of one's own
# may lead to a source elsewhere.
cloneSources:
  objects: [DataVolume, DataSource, DataImportCron, VirtualMachine, VirtualMachinePool]
  operations: [CREATE, UPDATE]
  values: >-
    [{{ include "governance.disks" . }}]
    .map(disks, disks.map(d, d.?sourceRef.?namespace.orValue('')) + disks.map(d, d.?source.?pvc.?namespace.orValue(''))
    + disks.map(d, d.?source.?snapshot.?namespace.orValue('')) + disks.map(d, d.?source.?dataSource.?namespace.orValue('')))[0]
  allowed: >-
    value == '' || value == request.namespace || value in variables.params['']
    || value in variables.params[?request.namespace].orValue([])
  message: "'namespace ' + request.namespace + ' may not copy disks of ' + variables.refused.join(', ') + '; expected a source of its own, or of ' + variables.params[''].join(', ')"

# One list is for container disks, Jobs and imports, so the scheme of registries is left out. A path does not lead out of its
# prefix by dots.
images:
  objects: [DataVolume, DataImportCron, VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, Job]
  operations: [CREATE, UPDATE]
  values: >-
    ([{{ include "governance.instance" . }}].map(p,
    p.?containers.orValue([]).map(c, c.?image.orValue('')) + p.?initContainers.orValue([]).map(c, c.?image.orValue(''))
    + p.?volumes.orValue([]).map(v, v.?containerDisk.?image.or(v.?image.?reference).orValue(''))
    + [p.?domain.?firmware.?kernelBoot.?container.?image.orValue('')])[0]
    + [{{ include "governance.disks" . }}]
    .map(disks, disks.map(d, d.?source.?registry.?url.or(d.?source.?http.?url).or(d.?source.?s3.?url).or(d.?source.?gcs.?url).orValue(''))
    + disks.map(d, d.?source.?registry.?imageStream.optMap(name, 'imagestream/' + name).orValue('')))[0])
    .filter(image, image != '').map(image, image.startsWith('docker://') ? image.substring(9) : image)
  allowed: >-
    !value.matches('/([.]|%2[eE]){1,2}(/|$)') && variables.params.exists(prefix, prefix.endsWith('/') ? value.startsWith(prefix)
    : value == prefix || value.startsWith(prefix + ':') || value.startsWith(prefix + '@'))
  message: "'image ' + variables.refused.join(', ') + ' is not allowed; expected one of ' + variables.params.join(', ')"

# Who names a ServiceAccount of a namespace has its rights, by the token in the pod or on the disk.
serviceAccounts:
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool, Job]
  operations: [CREATE, UPDATE]
  values: >-
    [{{ include "governance.instance" . }}].map(p,
    (p.?containers.hasValue() ? [p.?serviceAccountName.orValue('') == '' ? p.?serviceAccount.orValue('') : p.?serviceAccountName.orValue('')] : [])
    .map(name, name == '' ? 'default' : name)
    + p.?volumes.orValue([]).map(v, v.?serviceAccount.?serviceAccountName.orValue('')).filter(name, name != ''))[0]
  allowed: >-
    variables.params.exists(name, name.startsWith('*') ? value.endsWith(name.substring(1)) : value == name)
  message: "'service account ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

interfaceModels:
  objects: [VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool]
  operations: [CREATE, UPDATE]
  values: >-
    {{ include "governance.instance" . }}
    .?domain.?devices.?interfaces.orValue([]).map(i, i.?model.orValue('virtio'))
  allowed: "value in variables.params"
  message: "'interface model ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

# KubeVirt takes the name for that of a VirtualMachineClusterInstancetype where the kind is not given; users make the
# namespaced ones themselves.
instancetypes:
  objects: [VirtualMachine, VirtualMachinePool]
  operations: [CREATE, UPDATE]
  values: >-
    [self.spec.?virtualMachineTemplate.?spec.orValue(self.spec).?instancetype.orValue({})]
    .map(i, (i.?kind.orValue('').lowerAscii().startsWith('virtualmachineinstancetype') ? 'VirtualMachineInstancetype/' : '') + i.?name.orValue('none'))
  allowed: "value in variables.params"
  message: "'instance type ' + variables.refused.join(', ') + ' is not allowed; expected ' + variables.params.join(', ')"

runStrategies:
  objects: [VirtualMachine, VirtualMachinePool]
  operations: [CREATE, UPDATE]
  values: >-
    [self.spec.?virtualMachineTemplate.?spec.orValue(self.spec)]
    .map(s, s.?runStrategy.orValue(s.?running.orValue(false) ? 'Always' : 'Halted'))
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
governance.instance is CEL: the specification of the instance in a VM, a pool, a replica set or an instance, and
that of the pod in a Job.
*/}}
{{- define "governance.instance" -}}
self.spec.?virtualMachineTemplate.?spec.?template.?spec.or(self.spec.?template.?spec).orValue(self.spec)
{{- end -}}

{{/*
governance.disks is CEL: the specifications of the DataVolumes in a VM, a pool, a DataVolume or a DataImportCron, and that
of a DataSource, which has its source in the same place.
*/}}
{{- define "governance.disks" -}}
(self.spec.?virtualMachineTemplate.?spec.orValue(self.spec).?dataVolumeTemplates.orValue([]).map(t, t.spec) + [self.spec.?template.?spec.orValue(self.spec)])
{{- end -}}

{{/*
governance.kinds are the kinds that policies judge: API group and resource.
*/}}
{{- define "governance.kinds" -}}
Namespace:                        ["", namespaces]
PersistentVolumeClaim:            ["", persistentvolumeclaims]
DataVolume:                       [cdi.kubevirt.io, datavolumes]
DataSource:                       [cdi.kubevirt.io, datasources]
DataImportCron:                   [cdi.kubevirt.io, dataimportcrons]
Job:                              [batch, jobs]
VirtualMachine:                   [kubevirt.io, virtualmachines]
VirtualMachineInstance:           [kubevirt.io, virtualmachineinstances]
VirtualMachineInstanceReplicaSet: [kubevirt.io, virtualmachineinstancereplicasets]
VirtualMachinePool:               [pool.kubevirt.io, virtualmachinepools]
VirtualMachinePool/scale:         [pool.kubevirt.io, virtualmachinepools/scale]
VirtualMachineClone:              [clone.kubevirt.io, virtualmachineclones]
VirtualMachineRestore:            [snapshot.kubevirt.io, virtualmachinerestores]
{{- end -}}

{{/*
governance.roles are the ClusterRoles with the verbs that policies require, and the key of their holders in the values.
*/}}
{{- define "governance.roles" -}}
network-admin:    {verb: set-mac, holders: setMac}
protection-admin: {verb: unprotect, holders: unprotect}
{{- end -}}
