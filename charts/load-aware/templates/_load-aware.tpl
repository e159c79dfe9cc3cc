{{/*
load-aware.version is the version of the descheduler operator.
*/}}
{{- define "load-aware.version" -}}
{{- .Values.descheduler.operatorVersion | default (get (include "vmrender.release" . | fromYaml) "descheduler") -}}
{{- end -}}

{{/*
load-aware.offer is what the descheduler operator of a version offers: its best profile for VMs, and the limits of evictions
that it knows, each with the number of migrations that it follows from (openshift/cluster-kube-descheduler-operator, the
definitions of the release branches): 5.1.0 has neither of KubeVirt's profiles, 5.1.4 to 5.2.2 have the developers' preview,
5.3.1 has both, and a limit per node.
*/}}
{{- define "load-aware.offer" -}}
{{- $version := include "load-aware.version" . -}}
{{- if semverCompare ">=5.3.1" $version -}}
profile: KubeVirtRelieveAndMigrate
limits: {total: parallelMigrationsPerCluster, node: parallelOutboundMigrationsPerNode}
{{- else if semverCompare ">=5.1.4" $version -}}
profile: DevKubeVirtRelieveAndMigrate
limits: {total: parallelMigrationsPerCluster}
{{- else -}}
profile: LongLifecycle
limits: {}
{{- end -}}
{{- end -}}

{{/*
load-aware.profile is the descheduler's profile for VMs.
*/}}
{{- define "load-aware.profile" -}}
{{- if eq .Values.descheduler.profile "auto" }}{{ get (include "load-aware.offer" . | fromYaml) "profile" }}{{ else }}{{ .Values.descheduler.profile }}{{ end -}}
{{- end -}}

{{/*
load-aware.evictionLimits are the limits from values, or what follows from the numbers of migrations: up to ten as many,
beyond that four of every five more.
*/}}
{{- define "load-aware.evictionLimits" -}}
{{- $known := get (include "load-aware.offer" . | fromYaml) "limits" -}}
{{- range $key, $limit := .Values.evictionLimits -}}
{{- if and $limit (not (hasKey $known $key)) -}}
{{- fail (printf "evictionLimits.%s: not in descheduler operator %s; remove it, or upgrade to 5.3.1" $key (include "load-aware.version" $)) -}}
{{- end -}}
{{- end -}}
{{- range $key, $number := $known -}}
{{- $migrations := int (index $.Values.liveMigrationConfig $number) -}}
{{- $scaled := lt $migrations 10 | ternary $migrations (add 10 (div (mul (sub $migrations 10) 4) 5)) }}
{{ $key }}: {{ get $.Values.evictionLimits $key | default $scaled }}
{{- end -}}
{{- end -}}

{{/*
load-aware.customizations are the settings of the profile. With evictions in the background the descheduler counts a VM that
is migrating as evicted, instead of trying it again.
*/}}
{{- define "load-aware.customizations" -}}
{{- $out := dict "devEnableEvictionsInBackground" true -}}
{{- if ne (include "load-aware.profile" .) "LongLifecycle" -}}
{{- $out = merge $out (dict "devEnableSoftTainter" true "devDeviationThresholds" .Values.devDeviationThresholds) -}}
{{- end -}}
{{- with .Values.descheduler.devActualUtilizationProfile }}{{ $_ := set $out "devActualUtilizationProfile" . }}{{ end -}}
{{- toYaml $out -}}
{{- end -}}
