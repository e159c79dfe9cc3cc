{{/*
sriov.checkPolicy refuses what the webhook of the operator refuses (openshift/sriov-network-operator, release-4.20,
pkg/webhook/validate.go).
Usage: {{ include "sriov.checkPolicy" (dict "path" "sriov.nodePolicies.a" "policy" $policy) }}
*/}}
{{- define "sriov.checkPolicy" -}}
{{- $policy := .policy -}}
{{- if and $policy.isRdma (ne $policy.deviceType "netdevice") }}{{ fail (printf "%s.isRdma: needs the driver of the NIC; remove it, or set deviceType: netdevice, which VMs cannot use" .path) }}{{ end -}}
{{- range $index, $name := $policy.nicSelector.pfNames -}}
{{- with regexFind "[0-9]+-[0-9]+$" (splitList "#" $name | rest | join "") -}}
{{- $bounds := splitList "-" . -}}
{{- $from := first $bounds | int -}}
{{- $to := last $bounds | int -}}
{{- $last := sub (int $policy.numVfs) 1 | int -}}
{{- if or (gt $from $to) (gt $to $last) }}{{ fail (printf "%s.nicSelector.pfNames[%d]: %q is not a range of the %d virtual functions of numVfs; expected one within 0-%d" $.path $index $name (int $policy.numVfs) $last) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
sriov.checkNetwork refuses a network that no NIC could use: its virtual functions are of no policy, its rates are in the
wrong order, or its NetworkAttachmentDefinition is also another network.
Usage: {{ include "sriov.checkNetwork" (dict "values" .Values "name" $name "network" $network "namespace" $namespace) }}
*/}}
{{- define "sriov.checkNetwork" -}}
{{- $path := printf "sriov.networks.%s" .name -}}
{{- $network := .network -}}
{{- $resources := list -}}
{{- range .values.sriov.nodePolicies }}{{ $resources = append $resources .resourceName }}{{ end -}}
{{- if not (has $network.resourceName $resources) }}{{ fail (printf "%s.resourceName: no policy of sriov.nodePolicies has %q; accepted: %s" $path $network.resourceName (sortAlpha $resources | uniq | join ", " | default "that of a policy to add")) }}{{ end -}}
{{- if and $network.maxTxRate (gt (int $network.minTxRate) (int $network.maxTxRate)) }}{{ fail (printf "%s.minTxRate: %d is more than maxTxRate, %d; expected at most that" $path (int $network.minTxRate) (int $network.maxTxRate)) }}{{ end -}}
{{- range $key := list "networks" "userDefinedNetworks" -}}
{{- with get (get $.values $key) $.name -}}
{{- if has (.namespace | default (eq $key "networks" | ternary "default" $.namespace)) (list $.namespace) }}{{ fail (printf "%s: %s.%s is the same NetworkAttachmentDefinition %s/%s; rename one of them" $path $key $.name $.namespace $.name) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
