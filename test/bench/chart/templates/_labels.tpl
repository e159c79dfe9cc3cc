{{/*
Labels that the VirtualMachine and its pods share.
*/}}
{{- define "machines.labels" -}}
app.kubernetes.io/name: {{ .machine.name }}
app.kubernetes.io/part-of: {{ .root.Values.partOf }}
team: {{ .machine.team }}
vm.kubevirt.io/template: {{ .machine.os }}-server-medium
vm.kubevirt.io/template.namespace: openshift
vm.kubevirt.io/template.revision: "1"
vm.kubevirt.io/template.version: v0.26.0
{{- end }}

{{/*
Labels that tell what an object belongs to.
*/}}
{{- define "machines.ownerLabels" -}}
app: {{ .machine.name }}
app.kubernetes.io/managed-by: vmrender
{{- end }}

{{/*
Annotations of the VirtualMachine.
*/}}
{{- define "machines.annotations" -}}
argocd.argoproj.io/sync-options: Force=true,Replace=true
argocd.argoproj.io/sync-wave: {{ .machine.wave | default 0 | quote }}
description: {{ printf "%s server for team %s" .machine.os .machine.team }}
example.com/os: {{ .machine.os }}
example.com/owner: {{ .machine.team }}
vmrender.io/lifecycle: cattle
vmrender.io/on-change: recreate
{{- with .root.Values.annotations }}
{{ toYaml . }}
{{- end }}
{{- end }}
