{{/*
images.defaults are the labels by which the console knows what suits an image.
*/}}
{{- define "images.defaults" -}}
{{- $labels := dict -}}
{{- with .defaultInstancetype }}{{ $_ := set $labels "instancetype.kubevirt.io/default-instancetype" . }}{{ end -}}
{{- with .defaultPreference }}{{ $_ := set $labels "instancetype.kubevirt.io/default-preference" . }}{{ end -}}
{{- toYaml $labels -}}
{{- end -}}
