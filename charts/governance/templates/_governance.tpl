{{/*
governance.enabled are the policies of governance.policies that are switched on, with their values under "settings", and with
the name of their objects under "name".
*/}}
{{- define "governance.enabled" -}}
{{- $out := dict -}}
{{- range $key, $policy := include "governance.policies" . | fromYaml -}}
{{- $values := index $.Values.policies $key -}}
{{- $actions := $values.actions | default $.Values.actions -}}
{{- if and (has "Deny" $actions) (has "Warn" $actions) -}}
{{- fail (printf "%s: Deny and Warn exclude each other; expected [Deny, Audit], or [Warn, Audit] to begin with" (hasKey $values "actions" | ternary (printf "policies.%s.actions" $key) "actions")) -}}
{{- end -}}
{{- if $values.enabled -}}
{{- $_ := set $out $key (merge (dict "name" (printf "virtualization-%s" (kebabcase $key)) "settings" $values "actions" $actions) $policy) -}}
{{- end -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
governance.verbs are the verbs that the policies which are switched on ask for.
*/}}
{{- define "governance.verbs" -}}
{{- $out := list -}}
{{- range include "governance.enabled" . | fromYaml -}}
{{- with .verb }}{{ $out = append $out . }}{{ end -}}
{{- end -}}
{{- toYaml (uniq $out) -}}
{{- end -}}

{{/*
governance.parameters is what policies read of their ConfigMap, whose values are strings: lists have commas.
*/}}
{{- define "governance.parameters" -}}
{{- $out := dict -}}
{{- $users := list -}}
{{- range .Values.exemptServiceAccounts }}{{ $users = append $users (printf "system:serviceaccount:%s" (replace "/" ":" .)) }}{{ end -}}
{{- $_ := set $out "exemptUsers" (join "," $users) -}}
{{- $enabled := include "governance.enabled" . | fromYaml -}}
{{- with $enabled.deniedNamespaces -}}
{{- $_ := set $out "deniedNamespaces" (join "," .settings.namespaces) -}}
{{- end -}}
{{- with $enabled.macAddresses -}}
{{- $range := .settings.kubeMacPoolConfiguration | default dict -}}
{{- if and (not $range) (ne .settings.kubeMacPool false) -}}
{{- fail "policies.macAddresses.kubeMacPoolConfiguration: missing; expected KubeMacPool's rangeStart and rangeEnd, or kubeMacPool: false where it does not run" -}}
{{- end -}}
{{- if and $range (eq .settings.kubeMacPool false) -}}
{{- fail "policies.macAddresses.kubeMacPoolConfiguration: kubeMacPool is false; remove one of them" -}}
{{- end -}}
{{- if gt (lower ($range.rangeStart | default "")) (lower ($range.rangeEnd | default "")) -}}
{{- fail (printf "policies.macAddresses.kubeMacPoolConfiguration.rangeEnd: %q is before rangeStart; expected a later address" $range.rangeEnd) -}}
{{- end -}}
{{- $_ := set $out "macRangeStart" ($range.rangeStart | default "") -}}
{{- $_ := set $out "macRangeEnd" ($range.rangeEnd | default "") -}}
{{- end -}}
{{- with $enabled.cloneSources -}}
{{- $_ := set $out "cloneSources" (join "," .settings.namespaces) -}}
{{- range $namespace, $sources := .settings.byNamespace -}}
{{- $_ := set $out (printf "cloneSources.%s" $namespace) (join "," $sources) -}}
{{- end -}}
{{- end -}}
{{- range $key := list "images" "serviceAccounts" "interfaceModels" "instancetypes" "runStrategies" -}}
{{- with get $enabled $key -}}
{{- $_ := set $out $key (join "," (required (printf "policies.%s.allowed: missing; expected what is allowed" $key) .settings.allowed)) -}}
{{- end -}}
{{- end -}}
{{- with $enabled.requiredLabels -}}
{{- $labels := list -}}
{{- range $label, $value := .settings.labels }}{{ $labels = append $labels (printf "%s=%s" $label $value) }}{{ end -}}
{{- if not $labels }}{{ fail "policies.requiredLabels.labels: missing; expected the labels" }}{{ end -}}
{{- $_ := set $out "requiredLabels" (join "," $labels) -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
governance.cel is what both engines have in common: match conditions, variables and the validation. A request that changes
an object brings the values that the object did not have before; one that deletes it brings those it has.
Usage: {{ include "governance.cel" $policy | fromYaml }}
*/}}
{{- define "governance.cel" -}}
{{- $allowed := "" -}}
{{- with .allowed }}{{ $allowed = printf "!(%s) && " . }}{{ end -}}
{{- $authorized := "" -}}
{{- with .verb }}{{ $authorized = printf " || authorizer.group('kubevirt.io').resource('virtualmachines').namespace(request.namespace).check('%s').allowed()" . }}{{ end -}}
paramKind: {apiVersion: v1, kind: ConfigMap}
matchConditions:
  - name: not-exempt
    expression: "!(request.userInfo.username in params.data.exemptUsers.split(','))"
  # Whoever removes the finalizers must be able to.
  - name: not-being-deleted
    expression: object == null || !has(object.metadata.deletionTimestamp)
variables:
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
