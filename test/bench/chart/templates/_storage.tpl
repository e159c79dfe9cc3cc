{{/*
DataVolumes of a VirtualMachine: the root disk, cloned, and an empty data disk.
*/}}
{{- define "machines.dataVolumes" -}}
- metadata:
    name: {{ .machine.name }}
  spec:
    sourceRef:
      kind: DataSource
      namespace: {{ .root.Values.imagesNamespace }}
      name: {{ .machine.os }}
    storage:
      storageClassName: {{ .machine.storageClass }}
      resources:
        requests:
          storage: {{ .machine.rootDisk }}
{{- with .machine.dataDisk }}
- metadata:
    name: {{ $.machine.name }}-data0
  spec:
    source:
      blank: {}
    preallocation: false
    storage:
      storageClassName: {{ $.machine.storageClass }}
      resources:
        requests:
          storage: {{ . }}
{{- end }}
{{- end }}
