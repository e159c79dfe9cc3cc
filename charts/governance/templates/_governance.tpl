{{/*
governance.enabled are the policies of governance.protections and governance.policies that are switched on, with their values under "settings", the name of
their objects under "name", and CEL of their parameters and of exempt users under "params" and "exempt"; and those of the gate.
*/}}
{{- define "governance.enabled" -}}
{{- $out := dict -}}
{{- range $key, $policy := merge (include "governance.protections" . | fromYaml) (include "governance.policies" . | fromYaml) -}}
{{- $values := index $.Values.policies $key -}}
{{- $actions := $values.actions | default $.Values.actions -}}
{{- if and (has "Deny" $actions) (has "Warn" $actions) -}}
{{- fail (printf "%s: Deny and Warn exclude each other; expected [Deny, Audit], or [Warn, Audit] to begin with" (hasKey $values "actions" | ternary (printf "policies.%s.actions" $key) "actions")) -}}
{{- end -}}
{{- if and $values.enabled (not (and $policy.claims (eq $.Values.engine "kyverno"))) -}}
{{- $params := include "governance.parameters" (dict "key" $key "settings" $values) -}}
{{- $_ := set $out $key (merge (dict "name" (printf "%s-%s" (eq $.Chart.Name "governance" | ternary "virtualization" $.Chart.Name) (kebabcase $key)) "settings" $values "actions" $actions "params" $params "exempt" (include "governance.exempt" $)) $policy) -}}
{{- end -}}
{{- end -}}
{{- merge $out (include "governance.gate" . | fromYaml) | toYaml -}}
{{- end -}}

{{/*
governance.verbs are the verbs that the enabled policies require.
*/}}
{{- define "governance.verbs" -}}
{{- $out := list -}}
{{- range include "governance.enabled" . | fromYaml -}}
{{- with .verb }}{{ $out = append $out . }}{{ end -}}
{{- end -}}
{{- toYaml (uniq $out) -}}
{{- end -}}

{{/*
governance.exempt are the users that no policy is for.
*/}}
{{- define "governance.exempt" -}}
{{- $users := list -}}
{{- range .Values.exemptServiceAccounts }}{{ $users = append $users (printf "system:serviceaccount:%s" (replace "/" ":" .)) }}{{ end -}}
{{- toJson $users -}}
{{- end -}}

{{/*
governance.parameters is what a policy compares with, as JSON, which is CEL too; nothing for most policies.
Usage: {{ include "governance.parameters" (dict "key" $key "settings" $values) }}
*/}}
{{- define "governance.parameters" -}}
{{- if eq .key "deniedNamespaces" -}}
{{- toJson .settings.namespaces -}}
{{- else if eq .key "macAddresses" -}}
{{- include "governance.macRange" .settings -}}
{{- else if eq .key "cloneSources" -}}
{{- merge (dict "" .settings.namespaces) (.settings.byNamespace | default dict) | toJson -}}
{{- else if eq .key "requiredLabels" -}}
{{- $labels := list -}}
{{- range $label, $value := .settings.labels }}{{ $labels = append $labels (printf "%s=%s" $label $value) }}{{ end -}}
{{- if not $labels }}{{ fail "policies.requiredLabels.labels: missing; expected the labels" }}{{ end -}}
{{- toJson $labels -}}
{{- else if has .key (list "images" "serviceAccounts" "interfaceModels" "instancetypes" "runStrategies") -}}
{{- required (printf "policies.%s.allowed: missing; expected what is allowed" .key) .settings.allowed | toJson -}}
{{- end -}}
{{- end -}}

{{/*
governance.macRange is the range of KubeMacPool's addresses, in the form that the policy compares: without colons.
*/}}
{{- define "governance.macRange" -}}
{{- $range := .kubeMacPoolConfiguration | default dict -}}
{{- if and (not $range) (ne .kubeMacPool false) -}}
{{- fail "policies.macAddresses.kubeMacPoolConfiguration: missing; expected KubeMacPool's rangeStart and rangeEnd, or kubeMacPool: false where it does not run" -}}
{{- end -}}
{{- if and $range (eq .kubeMacPool false) -}}
{{- fail "policies.macAddresses.kubeMacPoolConfiguration: kubeMacPool is false; remove one of them" -}}
{{- end -}}
{{- $start := $range.rangeStart | default "" | lower | replace ":" "" -}}
{{- $end := $range.rangeEnd | default "" | lower | replace ":" "" -}}
{{- if gt $start $end -}}
{{- fail (printf "policies.macAddresses.kubeMacPoolConfiguration.rangeEnd: %q is before rangeStart; expected a later address" $range.rangeEnd) -}}
{{- end -}}
{{- dict "start" $start "end" $end | toJson -}}
{{- end -}}

{{/*
governance.cel is what both engines have in common: match conditions, variables and the validation. A request that changes
an object brings the values that the object did not have before; one that deletes it brings those it has.
Usage: {{ include "governance.cel" $policy | fromYaml }}
*/}}
{{- define "governance.cel" -}}
{{- if .cel -}}
{{- toYaml .cel -}}
{{- else -}}
{{- $allowed := "" -}}
{{- with .allowed }}{{ $allowed = printf "!(%s) && " . }}{{ end -}}
{{- $authorized := "" -}}
{{- with .verb }}{{ $authorized = printf "authorizer.group('kubevirt.io').resource('virtualmachines').namespace(request.namespace).check('%s').allowed()" . }}{{ end -}}
{{- if .people }}{{ $authorized = printf "!request.userInfo.username.startsWith('system:serviceaccount:') && request.userInfo.username != 'system:kube-controller-manager' && %s" $authorized }}{{ end -}}
{{- with $authorized }}{{ $authorized = printf " || (%s)" . }}{{ end -}}
matchConditions:
  - name: not-exempt
    expression: {{ printf "!(request.userInfo.username in %s)" .exempt | quote }}
  # Controllers must be able to remove the finalizers.
  - name: not-being-deleted
    expression: object == null || !has(object.metadata.deletionTimestamp)
variables:
  {{- with .params }}
  - name: params
    expression: {{ quote . }}
  {{- end }}
  - name: objects
    expression: "(object == null ? [] : [dyn(object)]) + (oldObject == null ? [] : [dyn(oldObject)])"
  - name: found
    expression: {{ printf "variables.objects.map(self, %s)" .values | quote }}
  - name: refused
    expression: {{ printf "variables.found[0].filter(value, %s!(variables.found.size() > 1 && value in variables.found[1]))" $allowed | quote }}
validations:
  - expression: {{ printf "variables.refused.size() == 0%s" $authorized | quote }}
    messageExpression: {{ .message | quote }}
    reason: Forbidden
{{- end -}}
{{- end -}}

{{/*
governance.kinds are the kinds that policies judge: API group and resource.
*/}}
{{- define "governance.kinds" -}}
Namespace:                        ["", namespaces]
CustomResourceDefinition:         [apiextensions.k8s.io, customresourcedefinitions]
Application:                      [argoproj.io, applications]
PersistentVolumeClaim:            ["", persistentvolumeclaims]
DataVolume:                       [cdi.kubevirt.io, datavolumes]
DataSource:                       [cdi.kubevirt.io, datasources]
DataImportCron:                   [cdi.kubevirt.io, dataimportcrons]
Job:                              [batch, jobs]
Secret:                           ["", secrets]
VolumeImportSource:               [cdi.kubevirt.io, volumeimportsources]
VirtualMachineInstancePreset:     [kubevirt.io, virtualmachineinstancepresets]
VirtualMachine:                   [kubevirt.io, virtualmachines]
VirtualMachineInstance:           [kubevirt.io, virtualmachineinstances]
VirtualMachineInstanceReplicaSet: [kubevirt.io, virtualmachineinstancereplicasets]
VirtualMachinePool:               [pool.kubevirt.io, virtualmachinepools]
VirtualMachinePool/scale:         [pool.kubevirt.io, virtualmachinepools/scale]
VirtualMachineClone:              [clone.kubevirt.io, virtualmachineclones]
VirtualMachineRestore:            [snapshot.kubevirt.io, virtualmachinerestores]
VirtualMachineSnapshotContent:    [snapshot.kubevirt.io, virtualmachinesnapshotcontents]
VirtualMachineInstancetype:       [instancetype.kubevirt.io, virtualmachineinstancetypes]
VirtualMachineClusterInstancetype: [instancetype.kubevirt.io, virtualmachineclusterinstancetypes]
VirtualMachinePreference:         [instancetype.kubevirt.io, virtualmachinepreferences]
VirtualMachineClusterPreference:  [instancetype.kubevirt.io, virtualmachineclusterpreferences]
{{- end -}}

{{/*
governance.roles are the ClusterRoles with the verbs that policies require, and the key of their holders in the values.
*/}}
{{- define "governance.roles" -}}
network-admin:    {verb: set-mac, holders: setMac}
protection-admin: {verb: unprotect, holders: unprotect}
{{- end -}}
