{{/*
node-pools.own is what pools set on nodes that exist, as the Job reads it.
*/}}
{{- define "node-pools.own" -}}
{{- $own := dict -}}
{{- range $name, $pool := .Values.pools -}}
{{- $_ := set $own $name (pick $pool "labels" "taints" "nodes") -}}
{{- end -}}
{{- toJson $own -}}
{{- end -}}

{{/*
node-pools.check fails for values that contradict each other, or that something else owns: the kubelet writes labels
about the node (kubernetes/kubernetes, pkg/kubelet/kubelet_node_status.go), KubeVirt's virt-handler and its node labeller those
about virtualization (kubevirt/kubevirt v1.8.4, pkg/virt-handler/node-labeller, pkg/virt-controller/watch/node).
*/}}
{{- define "node-pools.check" -}}
{{- $in := dict -}}
{{- range $name, $pool := .Values.pools -}}
{{- range $key, $value := $pool.labels -}}
{{- if regexMatch "^(beta\\.)?kubernetes\\.io/(hostname|os|arch)$|^([a-z-]+\\.)*kubevirt\\.io/" $key -}}
{{- fail (printf "pools.%s.labels: the kubelet or KubeVirt writes %q; expected labels of your own, such as node-role.kubernetes.io/virtualization" $name $key) -}}
{{- end -}}
{{- end -}}
{{- range $taint := $pool.taints -}}
{{- if regexMatch "^(node\\.kubernetes\\.io|node\\.cloudprovider\\.kubernetes\\.io|kubevirt\\.io)/" $taint.key -}}
{{- fail (printf "pools.%s.taints: Kubernetes or KubeVirt sets the taint %q; expected taints of your own" $name $taint.key) -}}
{{- end -}}
{{- end -}}
{{- range $node := $pool.nodes -}}
{{- with get $in $node }}{{ fail (printf "pools.%s.nodes: %q is also in the pool %q; expected one pool per node" $name $node .) }}{{ end -}}
{{- $_ := set $in $node $name -}}
{{- end -}}
{{- if and $pool.nodes (not $.Values.applier.image) -}}
{{- fail (printf "applier.image: missing; expected the image of vmrender, which sets the labels and taints of pools.%s.nodes" $name) -}}
{{- end -}}
{{- if and $pool.machineSets (not $.Values.infrastructureName) -}}
{{- fail (printf "infrastructureName: missing; expected the name in the MachineSets of the cluster, for pools.%s.machineSets" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.virtualMachines -}}
{{- $pool := get $.Values.pools . -}}
{{- if not $pool }}{{ fail (printf "virtualMachines: no pool %q; expected one of: %s" . (keys $.Values.pools | sortAlpha | join ", " | default "none")) }}{{ end -}}
{{- if not $pool.labels }}{{ fail (printf "pools.%s.labels: missing; VMs find the pool by its labels" .) }}{{ end -}}
{{- end -}}
{{- end -}}
