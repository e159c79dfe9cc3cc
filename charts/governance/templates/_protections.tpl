{{/*
governance.protections are the policies that nothing is lost without, by their key in the values. Other charts share them.

objects     kinds of governance.kinds that are judged
operations  requests that are judged
values      CEL: a list of what matters in an object, `self`
allowed     CEL: whether a `value` of that list is allowed for all users; without it none is
message     CEL: the message for variables.refused, the values that were not there before and are not allowed
verb        what the requester must be allowed to do with virtual machines to have refused values all the same
people      whether the verb is only for people: a service account, as Argo CD's often is, has all verbs
claims      a selector: `self` is judged once with each such claim of its namespace, as `params`. Kyverno leaves these out

What differs between sites is variables.params: what governance.parameters makes of the policy's values. It is a part of the
policy. A separate ConfigMap does not work: the API server stops watching ConfigMaps with the last policy that needs one, and
sees none when policies come back (k8s.io/apiserver v0.36.3, pkg/admission/plugin/policy/generic/policy_source.go); then
everything is refused.
*/}}
{{- define "governance.protections" -}}
# Only the request counts: which boxes are ticked in Argo CD, and which of its code paths read an annotation, makes no
# difference. gitops-engine deletes and creates for Force with Replace, and reads no option of the object there (argo-cd v3.2.11,
# gitops-engine pkg/sync/sync_context.go). A claim of a DataVolume goes with it, because the DataVolume itself had to pass.
# A DataVolume that came from dataVolumeTemplates belongs to its VM also when a later commit keeps it: virt-controller adopts
# and never releases (kubevirt/kubevirt v1.8.4, pkg/virt-controller/watch/vm/vm.go). When the VM goes, the garbage collector
# deletes the disk. CDI copies the annotations of a DataVolume to its claim. A rollout deletes root disks that no VM uses.
# KubeVirt replaces the claims of a VM that is restored in place, and deletes no others (kubevirt/kubevirt v1.8.4,
# pkg/storage/snapshot/restore.go and pkg/storage/backend-storage).
# A claim with the state of a TPM or of EFI has only this label (kubevirt/kubevirt v1.8.4, pkg/storage/backend-storage).
keptDisks:
  objects: [DataVolume, PersistentVolumeClaim, Namespace]
  operations: [DELETE]
  values: >-
    {{ include "governance.alive" . }}
    && !(request.resource.resource == 'persistentvolumeclaims' && {{ include "governance.kubevirt" . }})
    && (({{ include "governance.options" . }}.exists(o, o == 'Delete=false')
    && !({{ include "governance.collector" . }} && self.metadata.?ownerReferences.orValue([]).exists(o, o.kind == 'DataVolume'))
    && !({{ include "governance.rollout" . }} && self.metadata.?labels[?'vmrender.io/disk'].orValue('') == 'root'))
    || (request.resource.resource == 'persistentvolumeclaims' && 'persistent-state-for' in self.metadata.?labels.orValue({})
    && !{{ include "governance.collector" . }})) ? [self.metadata.name] : []
  message: >-
    request.resource.resource.substring(0, request.resource.resource.size() - 1) + ' ' + variables.refused[0]
    + ({{ include "governance.collector" . }}
    ? ' is kept, but still belongs to its VM; release it: kubectl patch '
    : oldObject.metadata.?annotations[?'argocd.argoproj.io/sync-options'].orValue('').contains('Delete=false')
    ? ' is kept (Delete=false), also when a sync replaces it; to delete it, remove that first: kubectl annotate '
    : ' has the state of the TPM or EFI of a VM; to delete it, remove its label first: kubectl label ')
    + request.resource.resource.substring(0, request.resource.resource.size() - 1) + ' ' + variables.refused[0]
    + (request.namespace == '' || request.resource.resource == 'namespaces' ? '' : ' --namespace ' + request.namespace)
    + ({{ include "governance.collector" . }}
    ? ' --type merge --patch \'{"metadata":{"ownerReferences":null}}\''
    : oldObject.metadata.?annotations[?'argocd.argoproj.io/sync-options'].orValue('').contains('Delete=false')
    ? ' argocd.argoproj.io/sync-options-' : ' persistent-state-for-')
  verb: unprotect
  people: true

# A forced replacement asks in the background, like an Application that is deleted with that propagation; a prune, and the
# deletion of an Application after its confirmation, ask in the foreground, unless they are set to do otherwise.
# argocd-server deletes what is selected in its list of resources, and requires no confirmation.
petDeletions:
  objects: [VirtualMachine]
  operations: [DELETE]
  values: >-
    {{ include "governance.alive" . }} && request.userInfo.username.startsWith('system:serviceaccount:')
    && self.metadata.?annotations[?'vmrender.io/lifecycle'].orValue('') == 'pet'
    && {{ include "governance.options" . }}.exists(o, o in ['Prune=false', 'Prune=confirm'])
    && ({{ include "governance.options" . }}.exists(o, o == 'Delete=false') || request.userInfo.username.endsWith('argocd-server')
    || request.options.?propagationPolicy.orValue('') != 'Foreground') ? [self.metadata.name] : []
  message: >-
    'virtual machine ' + variables.refused[0] + ' is a pet that no commit has approved to go: neither a forced replacement nor a client without a confirmation deletes it; '
    + 'commit lifecycle: {removal: approved} for it, and remove it in a later commit, or delete the Application and confirm'

# KubeVirt makes the claim itself, with the VM as its owner and with no other property of it (kubevirt/kubevirt v1.8.4,
# pkg/storage/backend-storage), so only the VM tells whether it is a pet. KubeVirt finds it by its label, for the VM that returns.
# Without any claim it passes: to refuse then would refuse every VM of a namespace that has none, before any condition.
petState:
  objects: [VirtualMachine]
  operations: [DELETE]
  claims: {matchExpressions: [{key: persistent-state-for, operator: Exists}]}
  values: >-
    {{ include "governance.alive" . }} && self.metadata.?annotations[?'vmrender.io/lifecycle'].orValue('') == 'pet'
    && params != null && !has(params.metadata.deletionTimestamp)
    && params.metadata.?ownerReferences.orValue([]).exists(o, o.uid == self.metadata.uid) ? [params.metadata.name] : []
  message: >-
    'the state of the TPM or EFI of virtual machine ' + oldObject.metadata.name + ', which its disks may need to open, would be deleted with it; release it: kubectl patch persistentvolumeclaim '
    + variables.refused[0] + ' --namespace ' + request.namespace + ' --type merge --patch \'{"metadata":{"ownerReferences":null}}\''

# Without its definition, every object of a kind is gone.
keptDefinitions:
  objects: [CustomResourceDefinition]
  operations: [DELETE]
  values: >-
    !has(self.metadata.deletionTimestamp) && (self.spec.group == 'kubevirt.io' || self.spec.group.endsWith('.kubevirt.io'))
    && !('argocd.argoproj.io/deletion-approved' in self.metadata.?annotations.orValue({})) ? [self.metadata.name] : []
  message: >-
    'with ' + variables.refused[0] + ', all ' + oldObject.spec.names.plural + ' of the cluster would be deleted; to delete them: kubectl annotate customresourcedefinition '
    + variables.refused[0] + ' argocd.argoproj.io/deletion-approved=yes'

# Argo CD lists what requires a confirmation (argo-cd v3.2.11, controller/state.go); these are pets. An Application without
# this finalizer leaves everything.
petApplications:
  objects: [Application]
  operations: [DELETE]
  values: >-
    {{ include "governance.alive" . }} && !('argocd.argoproj.io/deletion-approved' in self.metadata.?annotations.orValue({}))
    && self.metadata.?finalizers.orValue([]).exists(f, f.startsWith('resources-finalizer.argocd.argoproj.io'))
    && self.?status.?resources.orValue([]).exists(r, r.?kind.orValue('') == 'VirtualMachine' && r.?requiresDeletionConfirmation.orValue(false))
    ? [self.metadata.name] : []
  message: >-
    'Application ' + variables.refused[0] + ' has pets; to keep its VMs, delete it with: argocd app delete ' + variables.refused[0]
    + ' --cascade=false; to delete them, first: kubectl annotate application ' + variables.refused[0] + ' --namespace ' + request.namespace + ' argocd.argoproj.io/deletion-approved=yes'
{{- end -}}

{{/*
governance.options is CEL: the sync options of an object.
*/}}
{{- define "governance.options" -}}
self.metadata.?annotations[?'argocd.argoproj.io/sync-options'].orValue('').split(',').map(o, o.trim())
{{- end -}}

{{/*
governance.alive is CEL: whether neither an object nor its namespace is being deleted already.
*/}}
{{- define "governance.alive" -}}
!has(self.metadata.deletionTimestamp) && (namespaceObject == null || namespaceObject.status.?phase.orValue('') != 'Terminating')
{{- end -}}

{{/*
governance.collector is CEL: whether the requester is the garbage collector. Controllers can share one identity.
*/}}
{{- define "governance.collector" -}}
(request.userInfo.username in ['system:serviceaccount:kube-system:generic-garbage-collector', 'system:kube-controller-manager'])
{{- end -}}

{{/*
governance.kubevirt is CEL: whether the requester is virt-controller, in the namespaces that KubeVirt is installed into.
*/}}
{{- define "governance.kubevirt" -}}
request.userInfo.username.matches('^system:serviceaccount:(openshift-cnv|kubevirt|kubevirt-hyperconverged):kubevirt-controller$')
{{- end -}}

{{/*
governance.rollout is CEL: whether the requester is a rollout. Its ServiceAccount has the name of its fleet, a hash and a suffix
(pkg/render/jobs.go).
*/}}
{{- define "governance.rollout" -}}
request.userInfo.username.matches('^system:serviceaccount:[^:]+:.+-[0-9a-f]{8}-rollout$')
{{- end -}}
