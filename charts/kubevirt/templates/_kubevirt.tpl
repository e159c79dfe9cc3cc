{{/*
kubevirt.featureGates are the gates that are on, and those that are off, under the names that KubeVirt's configuration has
for both.
*/}}
{{- define "kubevirt.featureGates" -}}
{{- $on := list }}{{ $off := list -}}
{{- range $name, $wanted := .Values.kubevirt.featureGates -}}
{{- if $wanted }}{{ $on = append $on $name }}{{ else }}{{ $off = append $off $name }}{{ end -}}
{{- end -}}
{{- with $on }}
featureGates: {{ toJson . }}
{{- end }}
{{- with $off }}
disabledFeatureGates: {{ toJson . }}
{{- end }}
{{- end -}}
