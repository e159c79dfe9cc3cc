{{/*
baseline.remediationTemplates are the templates of the remediation operators by the names that values give them. The first
one comes with its operator (medik8s/self-node-remediation).
*/}}
{{- define "baseline.remediationTemplates" -}}
selfNode:
  apiVersion: self-node-remediation.medik8s.io/v1alpha1
  kind: SelfNodeRemediationTemplate
  name: self-node-remediation-automatic-strategy-template
  namespace: {{ .nodeHealthCheck.namespace | quote }}
fenceAgents:
  apiVersion: fence-agents-remediation.medik8s.io/v1alpha1
  kind: FenceAgentsRemediationTemplate
  name: {{ .fenceAgents.name | quote }}
  namespace: {{ .fenceAgents.namespace | quote }}
{{- end -}}

{{/*
baseline.remediation is the part of a NodeHealthCheck about remediation: one template, or several with an order.
*/}}
{{- define "baseline.remediation" -}}
{{- $templates := include "baseline.remediationTemplates" . | fromYaml -}}
{{- $names := .nodeHealthCheck.remediations -}}
{{- if eq (len $names) 1 -}}
{{- dict "remediationTemplate" (index $templates (first $names)) | toYaml -}}
{{- else -}}
{{- $escalating := list -}}
{{- range $order, $name := $names -}}
{{- $escalating = append $escalating (dict "order" $order "timeout" $.nodeHealthCheck.remediationTimeout "remediationTemplate" (index $templates $name)) -}}
{{- end -}}
{{- dict "escalatingRemediations" $escalating | toYaml -}}
{{- end -}}
{{- end -}}

{{/*
baseline.kubelet is the spec of the pools' KubeletConfig, without the pool. One object has all entries: OpenShift
generates a pool's kubelet.conf from each KubeletConfig, so that of two only the last takes effect
(openshift/machine-config-operator, pkg/controller/kubelet-config).
*/}}
{{- define "baseline.kubelet" -}}
{{- $spec := dict -}}
{{- $config := dict -}}
{{- if .kubelet.enabled -}}
{{- $_ := set $spec "autoSizingReserved" .kubelet.autoSizingReserved -}}
{{- $config = merge $config .kubelet.kubeletConfig (pick .kubelet "nodeStatusMaxImages" "maxPods") -}}
{{- end -}}
{{- if .cpuManager.enabled -}}
{{- $config = merge $config (dict "cpuManagerPolicy" "static") (omit .cpuManager "enabled") -}}
{{- end -}}
{{- if .numa.enabled -}}
{{- $config = merge $config (omit .numa "enabled" "reservedMemory") -}}
{{- with .numa.reservedMemory }}{{ $config = merge $config (dict "memoryManagerPolicy" "Static" "reservedMemory" .) }}{{ end -}}
{{- end -}}
{{- with include "vmrender.compact" $config | fromYaml }}{{ $_ := set $spec "kubeletConfig" . }}{{ end -}}
{{- include "baseline.checkKubelet" $spec -}}
{{- toYaml $spec -}}
{{- end -}}

{{/*
baseline.checkKubelet refuses what the machine config operator would refuse, without an event on the pool, or what keeps the
kubelet from starting.
*/}}
{{- define "baseline.checkKubelet" -}}
{{- $config := .kubeletConfig | default dict -}}
{{- range list "cgroupDriver" "clusterDNS" "clusterDomain" "failSwapOn" "featureGates" "memorySwap" "staticPodPath" -}}
{{- if hasKey $config . }}{{ fail (printf "kubelet.kubeletConfig.%s: OpenShift keeps it to itself; remove it" .) }}{{ end -}}
{{- end -}}
{{- if .autoSizingReserved -}}
{{- range $key, $place := dict "systemReserved" "kubelet.kubeletConfig" "reservedMemory" "numa" -}}
{{- if get $config $key }}{{ fail (printf "%s.%s: does not go with kubelet.autoSizingReserved; switch that off, or leave this empty" $place $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
baseline.vfio is the files by which devices are left to VMs.
*/}}
{{- define "baseline.vfio" -}}
{{- with .devices -}}
/etc/modprobe.d/vfio.conf: |
  options vfio-pci ids={{ join "," . }}
/etc/modules-load.d/vfio-pci.conf: |
  vfio-pci
{{- end -}}
{{- end -}}

{{/*
baseline.gpu is the spec of the ClusterPolicy: what the operator needs for VMs and has off by default, and the fields that its
definition requires (NVIDIA/gpu-operator v26.3.3, api/nvidia/v1/clusterpolicy_types.go). Its other defaults are in the
operator.
*/}}
{{- define "baseline.gpu" -}}
{{- if and (eq .defaultWorkload "vm-vgpu") (not .vgpuManager) }}{{ fail "gpu.vgpuManager: missing; vm-vgpu expects an image with the driver for virtual GPUs" }}{{ end -}}
{{- $spec := dict "operator" (dict "use_ocp_driver_toolkit" true) -}}
{{- range list "daemonsets" "dcgm" "dcgmExporter" "devicePlugin" "driver" "gfd" "toolkit" }}{{ $_ := set $spec . (dict) }}{{ end -}}
{{- range list "nodeStatusExporter" "sandboxDevicePlugin" "vfioManager" }}{{ $_ := set $spec . (dict "enabled" true) }}{{ end -}}
{{- $_ := set $spec "sandboxWorkloads" (dict "enabled" true "defaultWorkload" .defaultWorkload) -}}
{{- with .vgpuManager -}}
{{- $_ := set $spec "vgpuManager" (merge (dict "enabled" true) .) -}}
{{- $_ := set $spec "vgpuDeviceManager" (dict "enabled" true) -}}
{{- end -}}
{{- range $key := list "sandboxWorkloads" "vgpuManager" -}}
{{- if hasKey $.spec $key }}{{ fail (printf "gpu.spec.%s: has a value of its own; expected %s" $key (eq $key "vgpuManager" | ternary "gpu.vgpuManager" "gpu.defaultWorkload")) }}{{ end -}}
{{- end -}}
{{- mergeOverwrite $spec (deepCopy .spec) | toYaml -}}
{{- end -}}
