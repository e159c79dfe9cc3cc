{{/*
storage.made are the storage classes that operators create for this chart's objects, with the value that they come from:
those of ODF (red-hat-storage/ocs-operator release-4.20, controllers/util/storageclasses.go), and of LVMS
(openshift/lvm-operator, internal/controllers/constants/constants.go, StorageClassPrefix).
*/}}
{{- define "storage.made" -}}
{{- with .Values.odf }}
{{- if .enabled }}
{{- range list "ceph-rbd" "ceph-rbd-virtualization" "cephfs" "ceph-rgw" }}
{{ printf "%s-%s" $.Values.odf.name . }}: odf
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.lvms.enabled }}
{{- range $name, $_ := .Values.lvms.deviceClasses }}
lvms-{{ $name }}: lvms.deviceClasses.{{ $name }}
{{- end }}
{{- end }}
{{- end -}}
