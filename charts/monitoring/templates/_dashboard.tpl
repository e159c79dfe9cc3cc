{{/*
monitoring.panels are the rows of the dashboard with their panels: the type, the width of 12, the unit, the queries with
their legends, and the columns of a table with their headings. For metrics that no alert uses, the source is KubeVirt v1.8.4,
docs/observability/metrics.md, or CDI v1.65.0, doc/metrics.md.
Usage: {{ include "monitoring.panels" $ | fromYamlArray }}
*/}}
{{- define "monitoring.panels" -}}
{{- $in := include "monitoring.namespaces" . -}}
{{- $vms := include "monitoring.select" (list $in) -}}
{{- $files := printf "{%s}" (join "," (compact (list (include "monitoring.fileSystems" .) $in))) -}}
- title: VMs
  panels:
    - {title: VMs, type: singlestat, span: 3, queries: {"": 'count(max by (namespace, name) (kubevirt_vm_info{{ $vms }})) or vector(0)'}}
    - {title: Running, type: singlestat, span: 3, queries: {"": 'count(max by (namespace, name) (kubevirt_vm_info{{ include "monitoring.select" (list `status_group=~"running|migrating"` $in) }})) or vector(0)'}}
    - {title: Paused, type: singlestat, span: 3, queries: {"": 'count(max by (namespace, name) (kubevirt_vm_info{{ include "monitoring.select" (list `status="paused"` $in) }})) or vector(0)'}}
    - {title: With an error, type: singlestat, span: 3, queries: {"": 'count(max by (namespace, name) (kubevirt_vm_info{{ include "monitoring.select" (list `status_group="error"` $in) }})) or vector(0)'}}
    - title: VMs by status
      type: graph
      span: 6
      queries: {status: 'count by (status) (max by (namespace, name, status) (kubevirt_vm_info{{ $vms }}))'}
    - title: Running VMs by node
      type: graph
      span: 6
      queries: {node: 'count by (node) (max by (namespace, name, node) (kubevirt_vmi_info{{ include "monitoring.select" (list `phase="running"` $in) }}))'}
- title: Migrations
  panels:
    - title: Migrations in the cluster
      type: graph
      span: 6
      queries:
        running: max(kubevirt_vmi_migrations_in_running_phase)
        scheduling: max(kubevirt_vmi_migrations_in_scheduling_phase)
        pending: max(kubevirt_vmi_migrations_in_pending_phase)
    - title: VMs that cannot migrate, although a drain of their node requires it
      type: table
      span: 6
      columns: [[namespace, Namespace], [name, VM], [node, Node]]
      queries: {"": 'max by (namespace, name, node) (kubevirt_vmi_non_evictable{{ $vms }}) == 1'}
- title: Guests
  panels:
    - title: Fullest file systems
      type: table
      span: 6
      unit: percentunit
      columns: [[namespace, Namespace], [name, VM], [mount_point, File system], [Value, Used]]
      queries: {"": 'topk(20, max by (namespace, name, mount_point) (kubevirt_vmi_filesystem_used_bytes{{ $files }} / kubevirt_vmi_filesystem_capacity_bytes{{ $files }}))'}
    - title: Usable memory of guests, lowest first
      type: table
      span: 6
      unit: percentunit
      columns: [[namespace, Namespace], [name, VM], [Value, Usable]]
      queries: {"": 'bottomk(20, max by (namespace, name) (kubevirt_vmi_memory_usable_bytes{{ $vms }} / kubevirt_vmi_memory_available_bytes{{ $vms }}))'}
- title: Snapshots and images
  panels:
    - title: Age of the newest snapshot
      type: table
      span: 6
      unit: short
      columns: [[namespace, Namespace], [name, VM], [Value, Days]]
      queries: {"": 'topk(20, (time() - max by (namespace, name) (kubevirt_vmsnapshot_succeeded_timestamp_seconds{{ $vms }})) / 86400 and on (namespace, name) kubevirt_vm_info{{ $vms }})'}
    - title: Images whose import is outdated
      type: table
      span: 6
      columns: [[namespace, Namespace], [cron_name, DataImportCron]]
      queries: {"": 'max by (namespace, cron_name) (kubevirt_cdi_dataimportcron_outdated{pending="false"}) == 1'}
{{- if .Values.statusMetrics }}
- title: Compared with Git
  panels:
    - title: VMs by state
      type: graph
      span: 6
      queries: {state: 'count by (state) (max by (namespace, name, kind, state) (vmrender_vm_state{{ $vms }}))'}
    - title: What keeps VMs from being as Git has them
      type: table
      span: 6
      columns: [[namespace, Namespace], [name, VM], [kind, Kind], [code, Fact]]
      queries: {"": 'max by (namespace, name, kind, code) (vmrender_vm_fact{{ $vms }})'}
{{- end }}
{{- end -}}

{{/*
monitoring.dashboard is the dashboard as JSON. The form is that of Grafana 5, with rows of panels. The OpenShift console reads
this form (openshift/monitoring-plugin, web/src/components/dashboards/legacy: rows in useLegacyDashboards.ts, types of panels in
legacy-dashboard.tsx; a table has only the columns that its styles name, by table.tsx), and later versions of Grafana convert
it when they load it (grafana, DashboardMigrator.ts). The legend of a query that is alone is a label, others are words.
Usage: {{ include "monitoring.dashboard" $ }}
*/}}
{{- define "monitoring.dashboard" -}}
{{- $rows := list -}}
{{- $id := 0 -}}
{{- range $row := include "monitoring.panels" . | fromYamlArray -}}
{{- $panels := list -}}
{{- range $panel := $row.panels -}}
{{- $id = add1 $id -}}
{{- $targets := list -}}
{{- range $legend, $expr := $panel.queries -}}
{{- $target := dict "expr" $expr "refId" (printf "%c" (int (add 65 (len $targets)))) -}}
{{- if eq $panel.type "graph" -}}
{{- $_ := set $target "legendFormat" (eq (len $panel.queries) 1 | ternary (printf "{{%s}}" $legend) $legend) -}}
{{- else -}}
{{- $target = merge $target (dict "format" (eq $panel.type "table" | ternary "table" "time_series") "instant" true) -}}
{{- end -}}
{{- $targets = append $targets $target -}}
{{- end -}}
{{- $out := dict "id" $id "title" $panel.title "type" $panel.type "span" $panel.span "targets" $targets "datasource" nil -}}
{{- if eq $panel.type "graph" -}}
{{- $out = merge $out (dict "stack" true "fill" 1 "legend" (dict "show" true) "yaxes" (list (dict "format" "short" "min" 0) (dict "show" false))) -}}
{{- else if eq $panel.type "singlestat" -}}
{{- $out = merge $out (dict "format" "short" "decimals" 0 "valueName" "current") -}}
{{- else -}}
{{- $styles := list (dict "pattern" "Time" "type" "hidden") -}}
{{- range $panel.columns -}}
{{- $style := dict "pattern" (first .) "alias" (last .) "type" "string" -}}
{{- if eq (first .) "Value" }}{{ $style = merge (dict "type" "number" "unit" $panel.unit "decimals" 1) $style }}{{ end -}}
{{- $styles = append $styles $style -}}
{{- end -}}
{{- if not $panel.unit }}{{ $styles = append $styles (dict "pattern" "Value" "type" "hidden") }}{{ end -}}
{{- $out = merge $out (dict "transform" "table" "styles" $styles) -}}
{{- end -}}
{{- $panels = append $panels $out -}}
{{- end -}}
{{- $rows = append $rows (dict "title" $row.title "showTitle" true "collapse" false "panels" $panels) -}}
{{- end -}}
{{- dict "uid" "vmrender-virtual-machines" "title" "Virtual machines" "tags" (list "kubevirt") "schemaVersion" 14 "editable" false "timezone" "browser" "refresh" "1m" "templating" (dict "list" list) "rows" $rows | toPrettyJson -}}
{{- end -}}
