{{/*
One VirtualMachine. Argument: a dict of the machine and the chart's root.
*/}}
{{- define "machines.virtualMachine" -}}
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {{ .machine.name }}
  namespace: {{ .root.Values.namespace }}
  labels:
    {{- include "machines.ownerLabels" . | nindent 4 }}
    {{- include "machines.labels" . | nindent 4 }}
  annotations:
    {{- include "machines.annotations" . | nindent 4 }}
spec:
  runStrategy: {{ .machine.runStrategy | default "Always" }}
  dataVolumeTemplates:
    {{- include "machines.dataVolumes" . | nindent 4 }}
  template:
    metadata:
      labels:
        {{- include "machines.labels" . | nindent 8 }}
        kubevirt.io/domain: {{ .machine.name }}
        kubevirt.io/size: custom
      annotations:
        vm.kubevirt.io/flavor: custom
        vm.kubevirt.io/os: {{ .machine.os }}
        vm.kubevirt.io/workload: server
    spec:
      architecture: amd64
      domain:
        cpu:
          sockets: {{ .machine.cores }}
          cores: 1
          threads: 1
        memory:
          guest: {{ .machine.memory }}
        machine:
          type: q35
        firmware:
          bootloader:
            efi:
              secureBoot: true
        features:
          acpi: {}
          smm:
            enabled: true
        devices:
          disks:
            - name: rootdisk
              disk:
                bus: virtio
            {{- if .machine.dataDisk }}
            - name: data0
              disk:
                bus: virtio
            {{- end }}
            - name: cloudinitdisk
              disk:
                bus: virtio
          interfaces:
            - name: default
              masquerade: {}
              model: virtio
            {{- with .machine.network }}
            - name: {{ . }}
              bridge: {}
              model: virtio
            {{- end }}
          networkInterfaceMultiqueue: true
          rng: {}
      networks:
        - name: default
          pod: {}
        {{- with .machine.network }}
        - name: {{ . }}
          multus:
            networkName: {{ $.root.Values.networksNamespace }}/{{ . }}
        {{- end }}
      terminationGracePeriodSeconds: {{ .machine.gracePeriod | default 180 }}
      volumes:
        - name: rootdisk
          dataVolume:
            name: {{ .machine.name }}
        {{- if .machine.dataDisk }}
        - name: data0
          dataVolume:
            name: {{ .machine.name }}-data0
        {{- end }}
        - name: cloudinitdisk
          cloudInitNoCloud:
            userData: |
              {{- include "machines.userData" . | nindent 14 }}
{{- end }}
