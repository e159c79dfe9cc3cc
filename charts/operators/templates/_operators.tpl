{{/*
operators.namespaces is a map of the namespaces that enabled operators need to what is said about them.
*/}}
{{- define "operators.namespaces" -}}
{{- $needed := dict -}}
{{- range $operator := .Values.operators -}}
{{- if $operator.enabled -}}
{{- $_ := set $needed $operator.namespace (get $.Values.namespaces $operator.namespace | default (dict)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $needed -}}
{{- end -}}

{{/*
operators.pinned is a map of the namespaces with pinned versions to these: of the operators that wait for approval.
*/}}
{{- define "operators.pinned" -}}
{{- $pinned := dict -}}
{{- range $operator := .Values.operators -}}
{{- $manual := eq ($operator.approval | default $.Values.defaults.approval) "Manual" -}}
{{- if and $operator.enabled $manual $operator.startingCSV -}}
{{- $_ := set $pinned $operator.namespace (append (get $pinned $operator.namespace | default list) $operator.startingCSV) -}}
{{- end -}}
{{- end -}}
{{- toYaml $pinned -}}
{{- end -}}
