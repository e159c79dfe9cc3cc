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
