{{/*
This chart has no other policies than governance.protections.
*/}}
{{- define "governance.policies" -}}{{- end -}}
{{- define "governance.gate" -}}{{- end -}}
