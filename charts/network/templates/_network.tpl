{{/*
network.interfaces is the list of nmstate's interfaces of a node network, in an order in which each stands after those it
is made of.
*/}}
{{- define "network.interfaces" -}}
{{- $state := .state | default "up" -}}
{{- $out := list -}}
{{- range $name, $bond := .bonds -}}
{{- $link := dict "mode" $bond.mode "port" $bond.ports -}}
{{- with $bond.options }}{{ $_ := set $link "options" . }}{{ end -}}
{{- $out = append $out (merge (dict "name" $name "type" "bond" "state" $state "link-aggregation" $link) (pick $bond "mtu")) -}}
{{- end -}}
{{- range $name, $vlan := .vlans -}}
{{- $out = append $out (merge (dict "name" $name "type" "vlan" "state" $state "vlan" (dict "base-iface" $vlan.base "id" (int $vlan.id))) (pick $vlan "mtu")) -}}
{{- end -}}
{{- range $name, $bridge := .bridges -}}
{{- if eq $name "br-ex" }}{{ fail (printf "nodeNetworks.%s.bridges.br-ex: is OVN-Kubernetes' own bridge; expected another name, or bridgeMappings to use it" $.name) }}{{ end -}}
{{- $settings := dict "options" (dict "stp" (dict "enabled" ($bridge.stp | default false))) "port" (include "network.ports" $bridge.ports | fromYamlArray) -}}
{{- $out = append $out (merge (dict "name" $name "type" "linux-bridge" "state" $state "ipv4" (dict "enabled" false) "ipv6" (dict "enabled" false) "bridge" $settings) (pick $bridge "mtu")) -}}
{{- end -}}
{{- range $name, $bridge := .ovsBridges -}}
{{- if eq $name "br-ex" }}{{ fail (printf "nodeNetworks.%s.ovsBridges.br-ex: is OVN-Kubernetes' own bridge; expected another name, or bridgeMappings to use it" $.name) }}{{ end -}}
{{- $options := dict "stp" (dict "enabled" ($bridge.stp | default false)) -}}
{{- if hasKey $bridge "mcastSnooping" }}{{ $_ := set $options "mcast-snooping-enable" $bridge.mcastSnooping }}{{ end -}}
{{- $settings := dict "allow-extra-patch-ports" true "options" $options "port" (include "network.ports" $bridge.ports | fromYamlArray) -}}
{{- $out = append $out (dict "name" $name "type" "ovs-bridge" "state" $state "bridge" $settings) -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{- define "network.ports" -}}
{{- $out := list -}}
{{- range . }}{{ $out = append $out (dict "name" .) }}{{ end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
network.desiredState is what nmstate is to make of a node network.
*/}}
{{- define "network.desiredState" -}}
{{- $out := deepCopy (.desiredState | default (dict)) -}}
{{- with include "network.interfaces" . | fromYamlArray -}}
{{- $_ := set $out "interfaces" (concat . ($out.interfaces | default list)) -}}
{{- end -}}
{{- $state := eq (.state | default "up") "absent" | ternary "absent" "present" -}}
{{- $mappings := list -}}
{{- range $localnet, $bridge := .bridgeMappings -}}
{{- $mappings = append $mappings (dict "localnet" $localnet "bridge" $bridge "state" $state) -}}
{{- end -}}
{{- with $mappings }}{{ $_ := set $out "ovn" (dict "bridge-mappings" .) }}{{ end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
network.policy is one NodeNetworkConfigurationPolicy.
Usage: {{ include "network.policy" (dict "context" $ "name" "br1" "wave" 3 "nodeSelector" $labels "network" $network) }}
*/}}
{{- define "network.policy" -}}
{{ include "vmrender.object" (dict "context" .context "kind" "NodeNetworkConfigurationPolicy" "name" .name "wave" .wave) }}
spec:
  nodeSelector:
    {{- toYaml .nodeSelector | nindent 4 }}
  maxUnavailable: {{ .network.maxUnavailable | default .context.Values.maxUnavailable | toJson }}
  desiredState:
    {{- include "network.desiredState" (merge (dict "name" .name) .network) | nindent 4 }}
{{- end -}}

{{/*
network.config is the CNI configuration of a NetworkAttachmentDefinition, as JSON.
*/}}
{{- define "network.config" -}}
{{- $config := dict "cniVersion" "0.3.1" "name" .name -}}
{{- $network := .network -}}
{{- if eq $network.type "bridge" -}}
{{- $bridge := required (printf "networks.%s.bridge: missing; expected the Linux bridge of the nodes" .name) $network.bridge -}}
{{- $macspoofchk := hasKey $network "macspoofchk" | ternary $network.macspoofchk true -}}
{{- $config = merge $config (dict "type" "bridge" "bridge" $bridge "macspoofchk" $macspoofchk "preserveDefaultVlan" false "ipam" ($network.ipam | default dict)) -}}
{{- /* The plugin gives no address to an interface that is down (containernetworking/plugins v1.6, bridge). */}}
{{- if not $network.ipam }}{{ $_ := set $config "disableContainerInterface" true }}{{ end -}}
{{- with $network.vlan }}{{ $_ := set $config "vlan" (int .) }}{{ end -}}
{{- with $network.mtu }}{{ $_ := set $config "mtu" (int .) }}{{ end -}}
{{- else if eq $network.type "localnet" -}}
{{- $physical := required (printf "networks.%s.physicalNetwork: missing; expected the name of the bridge mapping" .name) $network.physicalNetwork -}}
{{- $config = merge $config (dict "type" "ovn-k8s-cni-overlay" "topology" "localnet" "physicalNetworkName" $physical "netAttachDefName" (printf "%s/%s" .namespace .name)) -}}
{{- with $network.vlan }}{{ $_ := set $config "vlanID" (int .) }}{{ end -}}
{{- with $network.mtu }}{{ $_ := set $config "mtu" (int .) }}{{ end -}}
{{- else -}}
{{- $config = merge (deepCopy (required (printf "networks.%s.config: missing; expected a CNI configuration" .name) $network.config)) $config -}}
{{- end -}}
{{- if and $network.ipam (ne $network.type "bridge") }}{{ fail (printf "networks.%s.ipam: only with `type: bridge`; expected it in `config`, or subnets of a user-defined network" .name) }}{{ end -}}
{{- toJson $config -}}
{{- end -}}

{{/*
network.userDefined is the topology of a user-defined network with its settings. Only a ClusterUserDefinedNetwork can be a
Localnet (ovn-kubernetes/ovn-kubernetes, go-controller/pkg/crd/userdefinednetwork/v1, udn.go and cudn.go).
Usage: {{ include "network.userDefined" (dict "context" $ "name" $name "network" $network) }}
*/}}
{{- define "network.userDefined" -}}
{{- $network := .network -}}
{{- $path := printf "userDefinedNetworks.%s" .name -}}
{{- $localnet := eq $network.topology "Localnet" -}}
{{- if and $network.namespace (hasKey $network "namespaceSelector") }}{{ fail (printf "%s.namespace: there is a namespaceSelector; remove one of them" $path) }}{{ end -}}
{{- if not (or $network.namespace (hasKey $network "namespaceSelector")) }}{{ fail (printf "%s: no namespaces; expected namespaceSelector, or namespace for only one" $path) }}{{ end -}}
{{- $settings := merge (dict "role" ($network.role | default "Secondary")) (pick $network "mtu" "subnets" "excludeSubnets") -}}
{{- if $localnet -}}
{{- if $network.namespace }}{{ fail (printf "%s.namespace: a Localnet is for the whole cluster; expected namespaceSelector, such as {matchLabels: {kubernetes.io/metadata.name: %s}}" $path $network.namespace) }}{{ end -}}
{{- with include "vmrender.before" (dict "context" .context "release" "4.19") }}{{ fail (printf "%s.topology: OpenShift %s has no Localnet of this kind; expected 4.19 or later, or a network of type ovn-k8s-cni-overlay under networks" $path .) }}{{ end -}}
{{- if eq $network.role "Primary" }}{{ fail (printf "%s.role: a Localnet is never Primary; remove it" $path) }}{{ end -}}
{{- $_ := set $settings "physicalNetworkName" (required (printf "%s.physicalNetworkName: missing; expected the name of the bridge mapping" $path) $network.physicalNetworkName) -}}
{{- with $network.vlan }}{{ $_ := set $settings "vlan" (dict "mode" "Access" "access" (dict "id" (int .))) }}{{ end -}}
{{- else -}}
{{- range $key := list "excludeSubnets" "physicalNetworkName" "vlan" -}}
{{- if hasKey $network $key }}{{ fail (printf "%s.%s: is for Localnet; remove it" $path $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if $network.subnets -}}
{{- $_ := set $settings "ipam" (dict "lifecycle" "Persistent") -}}
{{- else -}}
{{- if eq $network.role "Primary" }}{{ fail (printf "%s.subnets: missing; a Primary network gives addresses" $path) }}{{ end -}}
{{- if $network.excludeSubnets }}{{ fail (printf "%s.excludeSubnets: there are no subnets; add them, or remove it" $path) }}{{ end -}}
{{- $_ := set $settings "ipam" (dict "mode" "Disabled") -}}
{{- end -}}
topology: {{ $network.topology }}
{{ $localnet | ternary "localnet" "layer2" }}:
  {{- toYaml $settings | nindent 2 }}
{{- end -}}
