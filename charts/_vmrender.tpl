{{/*
vmrender.kinds is what all objects of a kind have in common: the API version, the sync wave within their layer, and the
sync options of Argo CD.
An operator's kinds skip the dry run until the operator has brought their definitions. Objects with data or running VMs are
never pruned, nor deleted with their Application, nor uninstalled by Helm. Objects that exist before the chart, or have fields
that their operator fills in, are applied by the server, which does not change the fields of others.
*/}}
{{- define "vmrender.kinds" -}}
Namespace:           {apiVersion: v1, wave: -10, options: [&prune Prune=false, &delete Delete=false]}
OperatorGroup:       {apiVersion: operators.coreos.com/v1, wave: -9, options: [&crd SkipDryRunOnMissingResource=true]}
Subscription:        {apiVersion: operators.coreos.com/v1alpha1, wave: -8, options: [*crd]}
Operator:            {apiVersion: operators.coreos.com/v1, wave: -8, options: [*crd, &server ServerSideApply=true]}
ImageDigestMirrorSet: {apiVersion: config.openshift.io/v1, wave: -10, options: [*prune, *delete]}
ImageTagMirrorSet:   {apiVersion: config.openshift.io/v1, wave: -10, options: [*prune, *delete]}
CatalogSource:       {apiVersion: operators.coreos.com/v1alpha1, wave: -9}
OperatorHub:         {apiVersion: config.openshift.io/v1, wave: -8, options: [*prune, *delete, *server]}
HyperConverged:      {apiVersion: hco.kubevirt.io/v1, wave: 0, options: [*crd, *prune, *delete, *server]}
KubeVirt:            {apiVersion: kubevirt.io/v1, wave: 0, options: [*crd, *prune, *delete, *server]}
CDI:                 {apiVersion: cdi.kubevirt.io/v1beta1, wave: 0, options: [*crd, *prune, *delete, *server]}
StorageCluster:      {apiVersion: ocs.openshift.io/v1, wave: 0, options: [*crd, *prune, *delete, *server]}
LVMCluster:          {apiVersion: lvm.topolvm.io/v1alpha1, wave: 0, options: [*crd, *prune, *delete, *server]}
HostPathProvisioner: {apiVersion: hostpathprovisioner.kubevirt.io/v1beta1, wave: 0, options: [*crd, *prune, *delete, *server]}
StorageClass:        {apiVersion: storage.k8s.io/v1, wave: 1, options: [*prune, *delete, *server]}
StorageProfile:      {apiVersion: cdi.kubevirt.io/v1beta1, wave: 1, options: [*crd, *prune, *delete, *server]}
VolumeSnapshotClass: {apiVersion: snapshot.storage.k8s.io/v1, wave: 1, options: [*crd, *delete]}
DataProtectionApplication: {apiVersion: oadp.openshift.io/v1alpha1, wave: 0, options: [*crd, *server]}
Schedule:            {apiVersion: velero.io/v1, wave: 1, options: [*crd]}
NMState:             {apiVersion: nmstate.io/v1, wave: 0, options: [*crd, *prune, *delete]}
NodeNetworkConfigurationPolicy: {apiVersion: nmstate.io/v1, wave: 3, options: [*crd, *prune, *delete]}
NetworkAttachmentDefinition: {apiVersion: k8s.cni.cncf.io/v1, wave: 4, options: [*crd, *delete]}
DataImportCron:      {apiVersion: cdi.kubevirt.io/v1beta1, wave: 5, options: [*crd, *server]}
DataSource:          {apiVersion: cdi.kubevirt.io/v1beta1, wave: 5, options: [*crd, *delete, *server]}
VirtualMachineClusterInstancetype: {apiVersion: instancetype.kubevirt.io/v1beta1, wave: 5, options: [*crd, *delete]}
VirtualMachineClusterPreference: {apiVersion: instancetype.kubevirt.io/v1beta1, wave: 5, options: [*crd, *delete]}
Template:            {apiVersion: template.openshift.io/v1, wave: 5}
ServiceAccount:      {apiVersion: v1, wave: 0}
Role:                {apiVersion: rbac.authorization.k8s.io/v1, wave: 0}
RoleBinding:         {apiVersion: rbac.authorization.k8s.io/v1, wave: 0}
Job:                 {apiVersion: batch/v1, wave: 0}
ClusterUserDefinedNetwork: {apiVersion: k8s.ovn.org/v1, wave: 4, options: [*crd, *delete]}
UserDefinedNetwork:  {apiVersion: k8s.ovn.org/v1, wave: 4, options: [*crd, *delete]}
SriovOperatorConfig: {apiVersion: sriovnetwork.openshift.io/v1, wave: 0, options: [*crd, *prune, *delete, *server]}
SriovNetworkNodePolicy: {apiVersion: sriovnetwork.openshift.io/v1, wave: 3, options: [*crd, *delete]}
SriovNetwork:        {apiVersion: sriovnetwork.openshift.io/v1, wave: 4, options: [*crd, *delete]}
LimitRange:          {apiVersion: v1, wave: 6}
ResourceQuota:       {apiVersion: v1, wave: 6}
ApplicationAwareResourceQuota: {apiVersion: aaq.kubevirt.io/v1alpha1, wave: 6, options: [*crd]}
ApplicationAwareClusterResourceQuota: {apiVersion: aaq.kubevirt.io/v1alpha1, wave: 6, options: [*crd]}
ConfigMap:           {apiVersion: v1, wave: 7}
ClusterRole:         {apiVersion: rbac.authorization.k8s.io/v1, wave: 7}
ClusterRoleBinding:  {apiVersion: rbac.authorization.k8s.io/v1, wave: 7}
ValidatingAdmissionPolicy: {apiVersion: admissionregistration.k8s.io/v1, wave: 7}
ValidatingAdmissionPolicyBinding: {apiVersion: admissionregistration.k8s.io/v1, wave: 8}
ClusterPolicy:       {apiVersion: kyverno.io/v1, wave: 8, options: [*crd]}
KubeDescheduler:     {apiVersion: operator.openshift.io/v1, wave: 0, options: [*crd, *server]}
FenceAgentsRemediationTemplate: {apiVersion: fence-agents-remediation.medik8s.io/v1alpha1, wave: 0, options: [*crd]}
NodeHealthCheck:     {apiVersion: remediation.medik8s.io/v1alpha1, wave: 1, options: [*crd]}
ForkliftController:  {apiVersion: forklift.konveyor.io/v1beta1, wave: 0, options: [*crd]}
NodeFeatureDiscovery: {apiVersion: nfd.openshift.io/v1, wave: 0, options: [*crd]}
MetalLB:             {apiVersion: metallb.io/v1beta1, wave: 0, options: [*crd]}
IPAddressPool:       {apiVersion: metallb.io/v1beta1, wave: 4, options: [*crd]}
L2Advertisement:     {apiVersion: metallb.io/v1beta1, wave: 4, options: [*crd]}
UIPlugin:            {apiVersion: observability.openshift.io/v1alpha1, wave: 0, options: [*crd]}
PrometheusRule:      {apiVersion: monitoring.coreos.com/v1, wave: 1, options: [*crd]}
KubeletConfig:       {apiVersion: machineconfiguration.openshift.io/v1, wave: 0, options: [*delete]}
MachineConfig:       {apiVersion: machineconfiguration.openshift.io/v1, wave: 0, options: [*delete]}
MachineSet:          {apiVersion: machine.openshift.io/v1beta1, wave: 0, options: [*prune, *delete, *server]}
MachineConfigPool:   {apiVersion: machineconfiguration.openshift.io/v1, wave: 0, options: [*prune, *delete, *server]}
{{- end -}}

{{/*
vmrender.releases is what goes with the releases of OpenShift, oldest first, by the minor version of their Kubernetes:
the descheduler operator (openshift/cluster-kube-descheduler-operator, the ClusterServiceVersion of the release branch),
the API of HyperConverged (kubevirt/hyperconverged-cluster-operator, whose release 1.18 serves v1 without some fields, and
1.19 stores it), and channels that are built for some releases only: mtv-operator (kubev2v/forklift, build/release.conf),
odf-operator (red-hat-storage/ocs-ci, ocs_ci/framework/conf/ocs_version, ocs_csv_channel), lvms-operator
(openshift/lvm-operator, branch catalog, catalogs), and redhat-oadp-operator (openshift/oadp-operator, PARTNERS.md: stable
since 4.19).
*/}}
{{- define "vmrender.releases" -}}
- {openshift: "4.18", kubernetes: 31, descheduler: 5.1.5, hyperconverged: v1beta1,
   channels: {mtv-operator: release-v2.10, odf-operator: stable-4.18, lvms-operator: stable-4.18, redhat-oadp-operator: stable-1.4}}
- {openshift: "4.19", kubernetes: 32, descheduler: 5.2.2, hyperconverged: v1beta1,
   channels: {mtv-operator: release-v2.11, odf-operator: stable-4.19, lvms-operator: stable-4.19}}
- {openshift: "4.20", kubernetes: 33, descheduler: 5.3.1, hyperconverged: v1beta1,
   channels: {mtv-operator: release-v2.12, odf-operator: stable-4.20, lvms-operator: stable-4.20}}
- {openshift: "4.21", kubernetes: 34, descheduler: 5.3.3, hyperconverged: v1beta1,
   channels: {mtv-operator: release-v2.12, odf-operator: stable-4.21, lvms-operator: stable-4.21}}
- {openshift: "4.22", kubernetes: 35, descheduler: 5.4.0, hyperconverged: v1beta1,
   channels: {mtv-operator: release-v2.12, odf-operator: stable-4.22, lvms-operator: stable-4.22}}
- {openshift: "4.23", kubernetes: 36, descheduler: 5.4.0, hyperconverged: v1,
   channels: {mtv-operator: release-v2.12, odf-operator: stable-4.23, lvms-operator: stable-4.23}}
{{- end -}}

{{/*
vmrender.release is the row of vmrender.releases for the cluster: the newest whose Kubernetes is not newer. Versions before
1.25 are what Helm invents where no cluster is known; then it is that of 4.20, which later releases understand too.
Usage: {{ get (include "vmrender.release" $ | fromYaml) "descheduler" }}
*/}}
{{- define "vmrender.release" -}}
{{- $minor := regexFind "^[0-9]+" .Capabilities.KubeVersion.Minor | int -}}
{{- if lt $minor 25 }}{{ $minor = 33 }}{{ end -}}
{{- $releases := include "vmrender.releases" . | fromYamlArray -}}
{{- $found := first $releases -}}
{{- range $releases }}{{ if ge $minor (int .kubernetes) }}{{ $found = . }}{{ end }}{{ end -}}
{{- toYaml $found -}}
{{- end -}}

{{/*
vmrender.before is the release of OpenShift that the cluster has, if it is known and older than another; otherwise nothing.
Usage: {{ with include "vmrender.before" (dict "context" $ "release" "4.19") }}{{ fail … }}{{ end }}
*/}}
{{- define "vmrender.before" -}}
{{- $minor := regexFind "^[0-9]+" .context.Capabilities.KubeVersion.Minor | int -}}
{{- $release := sub $minor 13 -}}
{{- if and (ge $minor 25) (lt (int $release) (int (trimPrefix "4." .release))) -}}4.{{ $release }}{{- end -}}
{{- end -}}

{{/*
vmrender.waits are the commands that wait until what a chart makes works, by the chart's name.
*/}}
{{- define "vmrender.waits" -}}
catalog:
  - kubectl wait catalogsources --all --namespace {{ .Release.Namespace }} --for=jsonpath='{.status.connectionState.lastObservedState}'=READY --timeout=15m
node-pools:
  - kubectl wait jobs --all --namespace {{ .Release.Namespace }} --selector app.kubernetes.io/name=node-pools --for=condition=Complete --timeout=30m
operators:
  - kubectl wait subscriptions.operators.coreos.com --all --all-namespaces --for=jsonpath='{.status.state}'=AtLatestKnown --timeout=15m
  - kubectl wait clusterserviceversions --all --all-namespaces --for=jsonpath='{.status.phase}'=Succeeded --timeout=15m
network:
  - kubectl wait nodenetworkconfigurationpolicies --all --for=condition=Available --timeout=15m
  {{- if dig "sriov" "nodePolicies" false (.Values | merge (dict)) }}
  - kubectl wait sriovnetworknodestates --all --namespace {{ .Values.sriov.namespace }} --for=jsonpath='{.status.syncStatus}'=Succeeded --timeout=2h
  {{- end }}
kubevirt:
  - kubectl wait kubevirts,cdis --all --all-namespaces --for=condition=Available --timeout=15m
hyperconverged:
  - kubectl wait hyperconvergeds --all --all-namespaces --for=condition=Available --timeout=30m
storage:
  - kubectl get storageclasses,storageprofiles
backup:
  - kubectl wait dataprotectionapplications --all --all-namespaces --for=condition=Reconciled --timeout=15m
  - kubectl wait backupstoragelocations.velero.io --all --all-namespaces --for=jsonpath='{.status.phase}'=Available --timeout=15m
images:
  - kubectl wait datasources --all --namespace {{ .Release.Namespace }} --for=condition=Ready --timeout=30m
governance:
  - kubectl get validatingadmissionpolicybindings,resourcequotas --all-namespaces
monitoring:
  - kubectl get prometheusrules --namespace {{ .Release.Namespace }}
baseline:
  - &pools kubectl wait machineconfigpools --all --for=condition=Updated --timeout=2h
  {{- if dig "gpu" "enabled" false (.Values | merge (dict)) }}
  - kubectl wait clusterpolicies.nvidia.com --all --for=condition=Ready --timeout=1h
  {{- end }}
load-aware: [*pools]
higher-density: [*pools]
nodes: [*pools]
{{- end -}}

{{/*
vmrender.notes is what Helm prints after it has installed a chart: it knows no waves, and does not wait for operators.
*/}}
{{- define "vmrender.notes" -}}
{{ .Chart.Name }} {{ .Chart.Version }}: {{ .Chart.Description }}
{{ with get (include "vmrender.waits" . | fromYaml) .Chart.Name }}
Helm has applied the objects, and not waited until they work. Wait before you install the next chart:
{{ range . }}
  {{ . }}
{{- end }}
{{ end }}
Objects with data or running VMs stay when the release is uninstalled.
{{- end -}}

{{/*
vmrender.labels are the labels of every object.
Usage: {{ include "vmrender.labels" $ }}
*/}}
{{- define "vmrender.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: vmrender
{{- end -}}

{{/*
vmrender.object begins an object: its kind and metadata. The kind must be in vmrender.kinds; apiVersion and wave replace
what stands there, options come on top.
Usage: {{ include "vmrender.object" (dict "context" $ "kind" "Subscription" "name" "mtv" "namespace" "openshift-mtv") }}
Optional keys: namespace, apiVersion, wave, options (list), labels, annotations (maps), impact: what applying it can do to
what runs (low: nothing; medium: VMs migrate, operators restart; high: nodes reboot).
*/}}
{{- define "vmrender.object" -}}
{{- $kinds := include "vmrender.kinds" . | fromYaml -}}
{{- $kind := get $kinds .kind | default (dict) -}}
{{- if not $kind }}{{ fail (printf "kind %q is not in vmrender.kinds" .kind) }}{{ end -}}
{{- $wave := hasKey . "wave" | ternary .wave $kind.wave -}}
{{- $annotations := dict "argocd.argoproj.io/sync-wave" (printf "%d" (int $wave)) -}}
{{- with .impact }}{{ $_ := set $annotations "vmrender.io/impact" . }}{{ end -}}
{{- with concat ($kind.options | default list) (.options | default list) -}}
{{- $_ := set $annotations "argocd.argoproj.io/sync-options" (join "," .) -}}
{{- if has "Delete=false" . }}{{ $_ := set $annotations "helm.sh/resource-policy" "keep" }}{{ end -}}
{{- end -}}
apiVersion: {{ .apiVersion | default $kind.apiVersion }}
kind: {{ .kind }}
metadata:
  name: {{ .name | quote }}
  {{- with .namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  labels:
    {{- merge (dict) (include "vmrender.labels" .context | fromYaml) (.labels | default dict) | toYaml | nindent 4 }}
  annotations:
    {{- merge (dict) $annotations (.annotations | default dict) | toYaml | nindent 4 }}
{{- end -}}

{{/*
vmrender.compact is a map as YAML without what is null or an empty map in it: in values, null
leaves a field unset, and Helm leaves an empty map if users repeat such nulls. Selectors stay, for an empty one selects
all. Lists stay as they are.
Usage: {{ include "vmrender.compact" .Values.spec | fromYaml }}
*/}}
{{- define "vmrender.compact" -}}
{{- $out := dict -}}
{{- range $key, $value := . -}}
{{- if kindIs "map" $value -}}
{{- $inner := include "vmrender.compact" $value | fromYaml -}}
{{- if or $inner (hasSuffix "Selector" $key) }}{{ $_ := set $out $key $inner }}{{ end -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $out $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
vmrender.remap moves values into the tree of an API, by a table of rows [place in values, place in the API]; places are
keys joined by dots. What is null or missing in the values is left out.
Usage: {{ include "vmrender.remap" (dict "values" $compacted "rows" $rows) | fromYaml }}
*/}}
{{- define "vmrender.remap" -}}
{{- $out := dict -}}
{{- range $row := .rows -}}
{{- $value := $.values -}}
{{- range splitList "." (first $row) -}}
{{- if kindIs "map" $value }}{{ $value = index $value . }}{{ end -}}
{{- end -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $path := splitList "." (last $row) -}}
{{- $node := $out -}}
{{- range initial $path -}}
{{- if not (hasKey $node .) }}{{ $_ := set $node . (dict) }}{{ end -}}
{{- $node = index $node . -}}
{{- end -}}
{{- $_ := set $node (last $path) $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/*
vmrender.machineConfig is a MachineConfig for the nodes of a pool, which reboot for it.
Usage: {{ include "vmrender.machineConfig" (dict "context" $ "pool" "worker" "name" "99-worker-psi-karg" "kernelArguments" (list "psi=1")) }}
Optional keys: kernelArguments (list), files (a map of paths to text), units (a list in Ignition's form).
*/}}
{{- define "vmrender.machineConfig" -}}
{{- $files := list -}}
{{- range $path, $text := .files -}}
{{- $source := printf "%s\n" (trimSuffix "\n" $text) | b64enc | printf "data:;base64,%s" -}}
{{- $files = append $files (dict "path" $path "mode" 420 "overwrite" true "contents" (dict "source" $source)) -}}
{{- end -}}
{{- $spec := dict -}}
{{- with .kernelArguments }}{{ $_ := set $spec "kernelArguments" . }}{{ end -}}
{{- if or $files .units -}}
{{- $config := dict "ignition" (dict "version" "3.2.0") -}}
{{- with $files }}{{ $_ := set $config "storage" (dict "files" .) }}{{ end -}}
{{- with .units }}{{ $_ := set $config "systemd" (dict "units" .) }}{{ end -}}
{{- $_ := set $spec "config" $config -}}
{{- end -}}
{{ include "vmrender.object" (dict "context" .context "kind" "MachineConfig" "name" .name "impact" "high" "labels" (dict "machineconfiguration.openshift.io/role" .pool)) }}
spec:
  {{- toYaml $spec | nindent 2 }}
{{- end -}}

{{/*
vmrender.swap is a MachineConfig per pool by which VMs may use swap: from a partition, a file, or both.
Usage: {{ include "vmrender.swap" (dict "context" $ "pools" .Values.pools "swap" .Values.swap) }}
Keys of swap: partitionLabel, fileSize.
*/}}
{{- define "vmrender.swap" -}}
{{- if not (or .swap.partitionLabel .swap.fileSize) }}{{ fail "swap: neither a partition nor a file; expected partitionLabel or fileSize" }}{{ end -}}
{{- if has "master" .pools }}{{ fail "pools: in many releases the control plane's kubelets do not start with swap; expected pools without master" }}{{ end -}}
{{- $content := include "vmrender.swapContent" .swap | fromYaml -}}
{{- range $pool := .pools }}
---
{{ include "vmrender.machineConfig" (merge (dict "context" $.context "pool" $pool "name" (printf "90-%s-kubelet-swap" $pool)) $content) }}
{{- end }}
{{- end -}}

{{/*
vmrender.swapContent is the files and units for swap. systemd's own swap units turn it on at every boot, before the kubelet;
swap.target wants them by a drop-in, for Ignition cannot enable units with a backslash in their name (its presets take it
for an escape). Nothing of the system itself is swapped out, and its disk accesses come before those of swap. The kubelet's
settings are a file next to its own, as the machine config operator refuses them in a KubeletConfig.
*/}}
{{- define "vmrender.swapContent" -}}
files:
  /etc/openshift/kubelet.conf.d/90-swap.conf: |
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    failSwapOn: false
    memorySwap:
      swapBehavior: LimitedSwap
units:
  {{- with .partitionLabel }}
  - name: 'dev-disk-by\x2dpartlabel-{{ . }}.device'
    dropins:
      - name: 10-swap.conf
        contents: |
          [Unit]
          JobRunningTimeoutSec=30s
  - name: 'dev-disk-by\x2dpartlabel-{{ . }}.swap'
    contents: |
      [Unit]
      Description=Swap partition for virtual machines
      [Swap]
      What=/dev/disk/by-partlabel/{{ . }}
      Priority=100
  {{- end }}
  {{- with .fileSize }}
  - name: vmswap-create.service
    contents: |
      [Unit]
      Description=Make the swap file for virtual machines
      DefaultDependencies=no
      RequiresMountsFor=/var
      Conflicts=shutdown.target
      Before=shutdown.target
      ConditionPathExists=!/var/vmswap
      [Service]
      Type=oneshot
      ExecStart=/usr/bin/fallocate --length {{ . }}B /var/vmswap.new
      ExecStart=/usr/bin/chmod 0600 /var/vmswap.new
      ExecStart=/usr/sbin/mkswap /var/vmswap.new
      ExecStart=/usr/bin/mv /var/vmswap.new /var/vmswap
  - name: var-vmswap.swap
    contents: |
      [Unit]
      Description=Swap file for virtual machines
      Requires=vmswap-create.service
      After=vmswap-create.service
      [Swap]
      What=/var/vmswap
      Priority=10
  {{- end }}
  - name: swap.target
    dropins:
      - name: 10-swap.conf
        contents: |
          [Unit]
          {{- with .partitionLabel }}
          Wants=dev-disk-by\x2dpartlabel-{{ . }}.swap
          {{- end }}
          {{- if .fileSize }}
          Wants=var-vmswap.swap
          {{- end }}
  - name: system.slice
    dropins:
      - contents: |
          [Slice]
          MemorySwapMax=0
          IODeviceLatencyTargetSec=/var 50ms
        name: 10-swap.conf
{{- end -}}
