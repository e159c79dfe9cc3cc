{{/*
monitoring.alerts is the table of alerts by their keys in the values: the name, the expression, and texts. $name in a text is
the label of that name. `status` marks alerts that use metrics of `vmrender status -o prometheus`.

Metrics with their labels, and values of labels:
  kubevirt_vmi_migration_failed: a series for each failed migration that still exists, by vmi and vmim (KubeVirt v1.8.4,
    pkg/monitoring/metrics/virt-controller/migrationstats_collector.go); KubeVirt keeps the last five of a VM
  kubevirt_vmi_filesystem_used_bytes, kubevirt_vmi_filesystem_capacity_bytes: from the guest agent (KubeVirt v1.8.4,
    pkg/monitoring/metrics/virt-handler/domainstats/filesystem_metrics.go). The types of file systems that are left out are
    those of KubeVirt's alert (pkg/monitoring/rules/alerts/vms.go)
  kubevirt_vm_info: `status` is the printable status in lower case (KubeVirt v1.8.4,
    pkg/monitoring/metrics/virt-controller/vmstats_collector.go). The status of a VM that crashes alternates, and KubeVirt
    waits at most five minutes before it starts the VM again (pkg/virt-controller/watch/vm/vm.go), hence the ten minutes
  kubevirt_vmsnapshot_succeeded_timestamp_seconds: `name` is the VM (KubeVirt v1.8.4,
    pkg/monitoring/metrics/virt-controller/vmsnapshot.go). A series remains after its snapshot or VM is deleted, until
    virt-controller restarts
  kube_pod_container_status_restarts_total: of kube-state-metrics, as CDI's own rules use it (CDI v1.65.0,
    pkg/monitoring/rules/recordingrules/pods.go)
  push_time_seconds: of the Pushgateway (pushgateway, storage/diskmetricstore.go)
  node_textfile_mtime_seconds: of node_exporter (collector/textfile.go)
  vmrender_*: docs/how-to/status.md
Usage: {{ include "monitoring.alerts" $ | fromYaml }}
*/}}
{{- define "monitoring.alerts" -}}
{{- $in := include "monitoring.namespaces" . -}}
{{- $a := .Values.alerts -}}
{{- $files := printf "{%s}" (join "," (compact (list (include "monitoring.fileSystems" .) $in))) -}}
{{- $vms := include "monitoring.select" (list $in) -}}
migrationFailing:
  alert: VirtualMachineMigrationsFail
  expr: |-
    count by (namespace, vmi) (
      max by (namespace, vmi, vmim) (max_over_time(kubevirt_vmi_migration_failed{{ $vms }}[{{ int $a.migrationFailing.hours }}h]))
      unless
      max by (namespace, vmi, vmim) (kubevirt_vmi_migration_failed{{ $vms }} offset {{ int $a.migrationFailing.hours }}h)
    ) >= {{ int $a.migrationFailing.failures }}
  summary: Live migrations of the VM $namespace/$vmi fail.
  description: At least {{ int $a.migrationFailing.failures }} live migrations of the VM $namespace/$vmi have failed within {{ int $a.migrationFailing.hours }} hours. A drain of its node cannot end. The conditions of the VirtualMachineInstanceMigrations contain the reason.
fileSystemFilling:
  alert: VirtualMachineFileSystemFillsUp
  expr: |-
    (
      predict_linear(kubevirt_vmi_filesystem_used_bytes{{ $files }}[{{ int $a.fileSystemFilling.trendHours }}h], {{ int $a.fileSystemFilling.fullInHours }} * 3600)
      > kubevirt_vmi_filesystem_capacity_bytes{{ $files }}
    )
    and
    kubevirt_vmi_filesystem_used_bytes{{ $files }} / kubevirt_vmi_filesystem_capacity_bytes{{ $files }} * 100 >= {{ int $a.fileSystemFilling.usedPercent }}
  summary: The file system $mount_point of the VM $namespace/$name fills up.
  description: If the file system $mount_point on the disk $disk_name of the VM $namespace/$name grows as in the last {{ int $a.fileSystemFilling.trendHours }} hours, it will be full within {{ int $a.fileSystemFilling.fullInHours }} hours.
crashLoop:
  alert: VirtualMachineCrashLoop
  expr: max by (namespace, name) (max_over_time(kubevirt_vm_info{{ include "monitoring.select" (list `status="crashloopbackoff"` $in) }}[10m])) == 1
  summary: The VM $namespace/$name is started again and again.
  description: The instance of the VM $namespace/$name ends soon after each start. The guest log and the events of its VirtualMachineInstance contain the reason.
paused:
  alert: VirtualMachinePaused
  expr: max by (namespace, name) (kubevirt_vm_info{{ include "monitoring.select" (list `status="paused"` $in) }}) == 1
  summary: The VM $namespace/$name is paused.
  description: The VM $namespace/$name is paused. If no user has paused it, its storage is full or has returned an error; the condition Paused of the VirtualMachineInstance contains the reason.
importFailing:
  alert: VirtualMachineImportFails
  expr: max by (namespace, pod) (kube_pod_container_status_restarts_total{{ include "monitoring.select" (list `container="importer"` `pod=~"importer-.*"` $in) }}) >= {{ int $a.importFailing.restarts }}
  summary: The import of an image in the namespace $namespace fails.
  description: The pod $pod in the namespace $namespace cannot import an image into a disk, and tries again. Its log and the conditions of the DataVolumes in the namespace contain the reason.
snapshotOld:
  alert: VirtualMachineSnapshotOld
  expr: |-
    time() - max by (namespace, name) (kubevirt_vmsnapshot_succeeded_timestamp_seconds{{ $vms }}) > {{ int $a.snapshotOld.hours }} * 3600
    and on (namespace, name) kubevirt_vm_info{{ $vms }}
  summary: The newest snapshot of the VM $namespace/$name is old.
  description: The newest snapshot of the VM $namespace/$name is older than {{ int $a.snapshotOld.hours }} hours.
down:
  alert: VirtualMachineDown
  status: true
  expr: max by (namespace, name, kind) (vmrender_vm_state{{ include "monitoring.select" (list `state="down"` $in) }}) == 1
  summary: The VM $namespace/$name does not run, although it should.
  description: "The $kind $namespace/$name does not run, although it should by Git. To see the reason: vmrender status -v."
waitsForRestart:
  alert: VirtualMachineWaitsForRestart
  status: true
  expr: max by (namespace, name, kind) (vmrender_vm_fact{{ include "monitoring.select" (list `code="waits-for-restart"` $in) }}) == 1
  summary: The VM $namespace/$name waits for a restart.
  description: "A change of the $kind $namespace/$name takes effect at its next start. To see the fields: vmrender status -v."
diskNotReady:
  alert: VirtualMachineDiskNotReady
  status: true
  expr: max by (namespace, name, kind) (vmrender_vm_fact{{ include "monitoring.select" (list `code="disk-not-ready"` $in) }}) == 1
  summary: A disk of the VM $namespace/$name is not ready.
  description: "A disk of the $kind $namespace/$name is not ready. To see the disk and the reason: vmrender status -v."
snapshotFailed:
  alert: VirtualMachineSnapshotFailed
  status: true
  expr: max by (namespace, name, kind) (vmrender_vm_fact{{ include "monitoring.select" (list `code=~"snapshot-failed|scheduled-snapshot-failed"` $in) }}) == 1
  summary: A snapshot of the VM $namespace/$name has failed.
  description: "A snapshot of the $kind $namespace/$name has failed, before a change or on a schedule. To see the reason: vmrender status -v."
changeFailed:
  alert: VirtualMachineChangeFailed
  status: true
  expr: max by (namespace, name, kind) (vmrender_vm_fact{{ include "monitoring.select" (list `code=~"change-failed|rollout-stopped|move-failed"` $in) }}) == 1
  summary: A change of the VM $namespace/$name has failed.
  description: "A change of the $kind $namespace/$name has failed, or a rollout has stopped at it. To see the reason: vmrender status -v."
blocksDrain:
  alert: VirtualMachineBlocksDrain
  status: true
  expr: max by (node, namespace, name, kind) (vmrender_drain_vm{{ include "monitoring.select" (list `outcome="blocks"` $in) }}) == 1
  summary: The VM $namespace/$name blocks the drain of its node.
  description: "A drain of the node $node waits for the $kind $namespace/$name indefinitely. To see the reason: vmrender status --drain $node."
statusOutdated:
  alert: VirtualMachineStatusOutdated
  status: true
  expr: |-
    time() - (
      max by (fleet) (push_time_seconds{job="vmrender"})
      or
      max by (file) (node_textfile_mtime_seconds{file=~".*vmrender.*"})
    ) > {{ int $a.statusOutdated.hours }} * 3600
  summary: The metrics of vmrender status are not updated.
  description: The metrics of vmrender status are older than {{ int $a.statusOutdated.hours }} hours. Alerts that use them do not report the present state. The log of the job that collects them contains the reason.
{{- end -}}

{{/*
monitoring.fileSystems is the matcher of file systems whose size matters, as in KubeVirt's own alert.
*/}}
{{- define "monitoring.fileSystems" -}}
file_system_type!~"CDFS|iso9660|udf|squashfs|cramfs|tmpfs|devtmpfs|proc|sysfs|selinuxfs|securityfs|pstore|debugfs|tracefs|configfs|binfmt_misc|bpf|devpts|mqueue|nsfs|rpc_pipefs|ramfs|rootfs|overlay|cgroup.*|fuse\\..*|fusectl",mount_point!="System Reserved"
{{- end -}}

{{/*
monitoring.namespaces is the matcher of the namespaces, or nothing for all.
*/}}
{{- define "monitoring.namespaces" -}}
{{- with .Values.namespaces }}namespace=~"{{ join "|" . }}"{{ end -}}
{{- end -}}

{{/*
monitoring.select is a selector of the matchers that are not empty.
Usage: {{ include "monitoring.select" (list `status="paused"` $namespaces) }}
*/}}
{{- define "monitoring.select" -}}
{{ if compact . }}{{ printf "{%s}" (join "," (compact .)) }}{{ end }}
{{- end -}}
