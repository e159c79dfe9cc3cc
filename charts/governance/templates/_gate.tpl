{{/*
governance.gate are the policies of the gate, by a key, in the form of governance.enabled; nothing if it is off. Their "cel" is
what governance.cel makes of other policies.
*/}}
{{- define "governance.gate" -}}
{{- $gate := .Values.gate -}}
{{- $mode := $gate.mode | default "Off" -}}
{{- if ne $mode "Off" -}}
{{- $actions := dict "Audit" (list "Audit") "Warn" (list "Warn" "Audit") "Deny" (list "Deny" "Audit") -}}
{{- $machines := list "VirtualMachine" "VirtualMachinePool" -}}
{{- $match := include "governance.gateMatch" . | fromYamlArray -}}
{{- $variables := concat (include "governance.gateParams" . | fromYamlArray) (include "governance.gateFields" . | fromYamlArray) (include "governance.gateGlass" . | fromYamlArray) (include "governance.gateVerdict" . | fromYamlArray) -}}
{{- $out := dict -}}
{{- $verdict := include "governance.gateMachines" . | fromYaml -}}
{{- $judged := concat $match (include "governance.gateJudged" . | fromYamlArray) -}}
{{- $_ := set $out "gate" (dict "objects" $machines "operations" (list "UPDATE" "DELETE") "actions" (index $actions $mode) "cel" (merge (dict "matchConditions" $judged "variables" $variables) $verdict)) -}}
{{- if ne $mode "Audit" -}}
{{- $broken := include "governance.gateBroken" . | fromYaml -}}
{{- $glass := include "governance.gateGlass" . | fromYamlArray -}}
{{- $_ := set $out "gateBreakGlass" (dict "objects" $machines "operations" (list "UPDATE") "actions" (list "Warn" "Audit") "cel" (dict "matchConditions" (concat $judged $broken.matchConditions) "variables" $glass "validations" $broken.validations)) -}}
{{- end -}}
{{- $_ := set $out "gateScale" (dict "objects" (list "VirtualMachinePool/scale") "operations" (list "UPDATE") "actions" (index $actions $mode) "cel" (dict "matchConditions" $match "validations" (include "governance.gateScale" . | fromYamlArray))) -}}
{{- $disks := include "governance.gateDisks" . | fromYaml -}}
{{- $_ := set $out "gateDisks" (dict "objects" (list "DataVolume" "PersistentVolumeClaim") "operations" (list "DELETE") "actions" (index $actions $mode) "cel" (dict "matchConditions" (concat $match $disks.matchConditions) "validations" $disks.validations)) -}}
{{- range $key, $policy := $out -}}
{{- $_ := set $policy "name" (printf "virtualization-%s" (kebabcase $key)) -}}
{{- $_ := set $policy "settings" (pick $gate "namespaceSelector") -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}
{{- end -}}

{{/*
governance.gateMatch are the conditions that all policies of the gate have. KubeVirt's components also change VMs: they start
and stop them for users, plug volumes in, and remove unplugged NICs.
*/}}
{{- define "governance.gateMatch" -}}
- name: not-exempt
  expression: {{ printf "!(request.userInfo.username in %s)" (include "governance.exempt" .) | quote }}
- name: not-kubevirt
  expression: {{ printf "!request.userInfo.username.matches('^system:serviceaccount:(%s):kubevirt-[^:]+$')" (join "|" .Values.gate.kubevirtNamespaces) | quote }}
# Controllers must be able to remove the finalizers.
- name: not-being-deleted
  expression: "!has(oldObject.metadata.deletionTimestamp)"
{{- end -}}

{{/*
governance.gateJudged are the further conditions for VMs: those of a fleet that requires approvals, or all if the chart
requires them; and updates of what KubeVirt acts on, or of the gate itself.
*/}}
{{- define "governance.gateJudged" -}}
{{- if not (or .Values.gate.approve .Values.gate.maxImpact) }}
- name: requires-approvals
  expression: "['vmrender.io/approve-from', 'vmrender.io/max-impact'].exists(k, k in oldObject.metadata.?annotations.orValue({}))"
{{- end }}
- name: changes-spec
  expression: >-
    object == null || object.spec != oldObject.spec || ['vmrender.io/approve-from', 'vmrender.io/max-impact', 'vmrender.io/keep-old', 'vmrender.io/restore', 'vmrender.io/power'].exists(k,
    oldObject.metadata.?annotations[?k] != object.metadata.?annotations[?k])
{{- end -}}

{{/*
governance.gateParams is what the gate compares with, besides the annotations of the object.
*/}}
{{- define "governance.gateParams" -}}
{{- $kubevirt := .Values.gate.kubevirt | default dict -}}
{{- $settings := concat (list ($kubevirt.vmRolloutStrategy | default "LiveUpdate")) ($kubevirt.workloadUpdateMethods | default list) ($kubevirt.featureGates | default list) -}}
- name: params
  expression: {{ dict "approve" (compact (list .Values.gate.approve)) "maxImpact" (compact (list .Values.gate.maxImpact)) "kubevirt" $settings | toJson | quote }}
{{- end -}}

{{/*
governance.gateVerdict are the variables that judge a change. The object in the cluster defines what needs an approval, so that
a commit that disables the gate does not pass without one. A change is a text: the level in two digits, a blank, and the field.
Without a threshold or a ceiling, it is above all levels. A limit that lets more pass than before has the risk gate.
*/}}
{{- define "governance.gateVerdict" -}}
- name: now
  expression: "object == null ? {} : object.metadata.?annotations.orValue({})"
- name: threshold
  expression: >-
    ((variables.params.approve + [variables.was[?'vmrender.io/approve-from'].orValue('')]).filter(l, l != '' && l != 'none')
    .map(l, variables.levels[?l].orValue('04')) + ['99']).min()
- name: ceiling
  expression: >-
    ((variables.params.maxImpact + [variables.was[?'vmrender.io/max-impact'].orValue('')]).filter(l, l != '')
    .map(l, variables.levels[?l].orValue('00')) + ['99']).min()
# A stopped VM takes everything at its next start.
- name: changes
  expression: >-
    request.operation == 'DELETE'
    ? [(oldObject.spec.?virtualMachineTemplate.?spec.orValue(oldObject.spec).?dataVolumeTemplates.orValue([]).size() > 0 ? '14' : '13') + ' the deletion']
    : request.resource.resource == 'virtualmachinepools' ? variables.pool
    : variables.machine + (variables.strategies[0] == 'Halted'
    ? variables.instance.map(c, c >= '04' && c < '09' ? '06' + c.substring(2) : c) : variables.instance)
- name: exceeding
  expression: variables.changes.filter(c, c.substring(0, 2) > variables.ceiling)
- name: staged
  expression: >-
    variables.now[?'vmrender.io/stage'].orValue('') == 'true' && request.resource.resource == 'virtualmachines'
    && !object.metadata.?labels[?'vmrender.io/rollout'].hasValue()
- name: risky
  expression: >-
    variables.changes.filter(c, c.substring(0, 2) >= variables.threshold
    && !(variables.staged && c.substring(0, 2) == '07'))
- name: weakened
  expression: >-
    request.operation == 'UPDATE' && ['vmrender.io/approve-from', 'vmrender.io/max-impact'].exists(k,
    variables.was[?k] != variables.now[?k] && [variables.was[?k].orValue('none')].exists(l, l != 'none' && variables.levels[?l].orValue('00')
    < variables.levels[?variables.now[?k].orValue('')].orValue('metadata' == variables.now[?k].orValue('') ? '00' : '99')))
- name: approvals
  expression: variables.now[?'vmrender.io/approved'].orValue('').split(',')
- name: token
  expression: variables.was[?'vmrender.io/becomes'].orValue('none') + '-' + variables.now[?'vmrender.io/becomes'].orValue('')
- name: unapproved
  expression: >-
    request.operation == 'DELETE'
    ? variables.risky.filter(c, variables.was[?'kustomize.toolkit.fluxcd.io/prune'].orValue('') == 'disabled'
    || variables.was[?'argocd.argoproj.io/sync-options'].orValue('').split(',').exists(o, o.trim() == 'Prune=false'))
    : (variables.risky + (variables.weakened ? ['98 the gate'] : [])).filter(c, variables.token.endsWith('-')
    || !((c < '09' ? 'restart=' : c < '14' ? 'delete=' : c < '98' ? 'data=' : 'gate=') + variables.token in variables.approvals))
- name: worst
  expression: "(variables.exceeding + (variables.exceeding.size() > 0 ? [] : variables.unapproved) + ['00 ']).max()"
- name: refused
  expression: "variables.worst != '00 '"
- name: risk
  expression: "variables.worst < '09' ? 'restart' : variables.worst < '14' ? 'delete' : variables.worst < '98' ? 'data' : 'gate'"
- name: given
  expression: "variables.approvals.filter(a, a.startsWith(variables.risk + '='))"
{{- end -}}

{{/*
governance.gateGlass are the variables of the way out. The API server has written the time of this request into managedFields before
it asks policies (k8s.io/apimachinery v0.34.3, pkg/util/managedfields/internal/managedfieldsupdater.go), but not that of one that
only removes fields, and a deletion has no time at all. So an update must bring a later time than there was; times are in seconds.
*/}}
{{- define "governance.gateGlass" -}}
- name: was
  expression: oldObject.metadata.?annotations.orValue({})
- name: times
  expression: >-
    [oldObject, object].map(o, o == null ? [timestamp(0)] : [timestamp(0)] + o.metadata.?managedFields.orValue([])
    .filter(m, has(m.time)).map(m, timestamp(m.time))).map(t, t.max())
- name: glass
  expression: variables.was[?'vmrender.io/break-glass'].orValue('')
- name: broken
  expression: >-
    request.operation == 'UPDATE' && variables.glass.matches('^.*[^ ;].*; until [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[-+][0-9]{2}:[0-9]{2})$')
    && variables.times[1] > variables.times[0] && variables.times[1] < timestamp(variables.glass.substring(variables.glass.lastIndexOf('; until ') + 8))
{{- end -}}

{{/*
governance.gateMachines is the validation of VMs and pools.
*/}}
{{- define "governance.gateMachines" -}}
validations:
  - expression: "!variables.refused || variables.broken"
    messageExpression: >-
      variables.worst.substring(3) + (variables.risk == 'gate' ? ' becomes less strict' : ' is of level ' + variables.names[?variables.worst.substring(0, 2)].orValue('none'))
      + (variables.exceeding.size() > 0 ? ', above the highest that is allowed, '
      + variables.names[?variables.ceiling].orValue('metadata') + '; no approval changes that, only policy.maxImpact in an earlier commit'
      : request.operation == 'DELETE' ? ' and is not approved; commit lifecycle: {removal: approved} for the VM, and remove it in a later commit'
      : ' and needs an approval of ' + variables.risk + ', ' + (variables.token.endsWith('-') ? 'which only what vmrender renders can have' + (variables.risk == 'gate' ? '; set policy.approve to none before you remove it' : '')
      : (variables.given.size() == 0 ? 'which is missing'
      : variables.given.exists(a, a.endsWith('-' + variables.was[?'vmrender.io/becomes'].orValue('none'))) ? variables.given[0] + ' is used up'
      : variables.given.exists(a, a.endsWith('-' + variables.now['vmrender.io/becomes'])) ? variables.given[0] + ' is for another base than the current VM'
      : variables.given[0] + ' is for another change')
      + '; see vmrender plan, and add approve: {' + variables.risk + ': ' + variables.token + '} to the VM'))
      + (variables.glass != '' && !variables.broken ? '; the annotation vmrender.io/break-glass is not valid, or no longer' : '')
    reason: Forbidden
auditAnnotations:
  - key: break-glass
    valueExpression: "variables.refused && variables.broken ? variables.worst.substring(3) + ': ' + variables.glass : ''"
{{- end -}}

{{/*
governance.gateBroken warns users whose change passes by the annotation vmrender.io/break-glass.
*/}}
{{- define "governance.gateBroken" -}}
matchConditions:
  - name: has-break-glass
    expression: "'vmrender.io/break-glass' in oldObject.metadata.?annotations.orValue({})"
validations:
  - expression: "!variables.broken"
    messageExpression: "'the gate lets every change pass by the annotation vmrender.io/break-glass: ' + variables.glass"
{{- end -}}

{{/*
governance.gateScale is the validation of the number of VMs in a pool that is changed by itself, as autoscalers and kubectl scale do
it. Such a request has no annotations, so every pool counts as one of a fleet that requires approvals.
*/}}
{{- define "governance.gateScale" -}}
- expression: object.spec.?replicas.orValue(0) >= oldObject.spec.?replicas.orValue(0)
  messageExpression: >-
    'fewer replicas delete VMs of the pool ' + request.name + ' with their disks, and only a change of the VirtualMachinePool itself
    can have an approval; change replicas in Git, or add the account of an autoscaler to exemptServiceAccounts'
  reason: Forbidden
{{- end -}}

{{/*
governance.gateDisks is the validation of disks with data. A claim whose DataVolume is gone is deleted by the garbage collector.
*/}}
{{- define "governance.gateDisks" -}}
matchConditions:
  - name: is-kept
    expression: >-
      oldObject.metadata.?labels[?'app.kubernetes.io/managed-by'].orValue('') == 'vmrender'
      && (oldObject.metadata.?annotations[?'kustomize.toolkit.fluxcd.io/prune'].orValue('') == 'disabled'
      || oldObject.metadata.?annotations[?'argocd.argoproj.io/sync-options'].orValue('').split(',').exists(o, o.trim() == 'Prune=false'))
  - name: not-collected
    expression: >-
      request.resource.resource != 'persistentvolumeclaims' || !(request.userInfo.username
      in ['system:serviceaccount:kube-system:generic-garbage-collector', 'system:kube-controller-manager'])
validations:
  - expression: "false"
    messageExpression: >-
      request.resource.resource.substring(0, request.resource.resource.size() - 1) + ' ' + request.name + ' has data that is kept; to delete it, remove its protection first: kubectl annotate '
      + request.resource.resource + ' ' + request.name + ' --namespace ' + request.namespace
      + ' argocd.argoproj.io/sync-options- kustomize.toolkit.fluxcd.io/prune-'
    reason: Forbidden
{{- end -}}
