{{/*
hyperconverged.apiVersion is the version of the API to write.
*/}}
{{- define "hyperconverged.apiVersion" -}}
{{- .Values.apiVersion | default (get (include "vmrender.release" . | fromYaml) "hyperconverged") -}}
{{- end -}}

{{/*
hyperconverged.v1beta1 is where the fields of v1 stand in v1beta1 (kubevirt/hyperconverged-cluster-operator, api/v1 and
api/v1beta1 of 1.20). Feature gates come first, as fields that were gates go among them.
*/}}
{{- define "hyperconverged.v1beta1" -}}
- [featureGates, featureGates]
- [virtualization.liveMigrationConfig, liveMigrationConfig]
- [virtualization.workloadUpdateStrategy, workloadUpdateStrategy]
- [virtualization.evictionStrategy, evictionStrategy]
- [virtualization.higherWorkloadDensity, higherWorkloadDensity]
- [virtualization.ksmConfiguration, ksmConfiguration]
- [virtualization.permittedHostDevices, permittedHostDevices]
- [virtualization.mediatedDevicesConfiguration.mediatedDeviceTypes, mediatedDevicesConfiguration.mediatedDeviceTypes]
- [virtualization.mediatedDevicesConfiguration.nodeMediatedDeviceTypes, mediatedDevicesConfiguration.nodeMediatedDeviceTypes]
- [virtualization.virtualMachineOptions.defaultCPUModel, defaultCPUModel]
- [virtualization.virtualMachineOptions.defaultRuntimeClass, defaultRuntimeClass]
- [virtualization.virtualMachineOptions.disableFreePageReporting, virtualMachineOptions.disableFreePageReporting]
- [virtualization.virtualMachineOptions.disableSerialConsoleLog, virtualMachineOptions.disableSerialConsoleLog]
- [virtualization.liveUpdateConfiguration, liveUpdateConfiguration]
- [virtualization.tuningPolicy, tuningPolicy]
- [virtualization.obsoleteCPUModels, obsoleteCPUs.cpuModels]
- [virtualization.vmiCPUAllocationRatio, resourceRequirements.vmiCPUAllocationRatio]
- [virtualization.autoCPULimitNamespaceLabelSelector, resourceRequirements.autoCPULimitNamespaceLabelSelector]
- [virtualization.changedBlockTrackingLabelSelectors, changedBlockTrackingLabelSelectors]
- [virtualization.roleAggregationStrategy, roleAggregationStrategy]
- [storage.vmStateStorageClass, vmStateStorageClass]
- [storage.scratchSpaceStorageClass, scratchSpaceStorageClass]
- [storage.storageImport, storageImport]
- [storage.filesystemOverhead, filesystemOverhead]
- [storage.persistentReservationConfiguration.enabled, featureGates.persistentReservation]
- [storage.workloadResourceRequirements, resourceRequirements.storageWorkloads]
- [workloadSources.enableCommonBootImageImport, enableCommonBootImageImport]
- [workloadSources.enableMultiArchBootImageImport, featureGates.enableMultiArchBootImageImport]
- [workloadSources.commonBootImageNamespace, commonBootImageNamespace]
- [workloadSources.commonTemplatesNamespace, commonTemplatesNamespace]
- [workloadSources.commonInstancetypesDeployment, CommonInstancetypesDeployment]
- [workloadSources.instancetypeConfig, instancetypeConfig]
- [workloadSources.dataImportCronTemplates, dataImportCronTemplates]
- [networking.kubeMacPoolConfiguration, kubeMacPoolConfiguration]
- [networking.kubeSecondaryDNSNameServerIP, kubeSecondaryDNSNameServerIP]
- [networking.networkBinding, networkBinding]
- [security.certConfig, certConfig]
- [security.tlsSecurityProfile, tlsSecurityProfile]
- [deployment.nodePlacements.infra, infra.nodePlacement]
- [deployment.nodePlacements.workload, workloads.nodePlacement]
- [deployment.uninstallStrategy, uninstallStrategy]
- [deployment.deployVmConsoleProxy, deployVmConsoleProxy]
- [deployment.applicationAwareConfig.enable, enableApplicationAwareQuota]
- [deployment.applicationAwareConfig.allowApplicationAwareClusterResourceQuota, applicationAwareConfig.allowApplicationAwareClusterResourceQuota]
- [deployment.applicationAwareConfig.namespaceSelector, applicationAwareConfig.namespaceSelector]
- [deployment.applicationAwareConfig.vmiCalcConfigName, applicationAwareConfig.vmiCalcConfigName]
- [deployment.logVerbosityConfig, logVerbosityConfig]
{{- end -}}

{{/*
hyperconverged.onlyV1 are the values that v1beta1 has no place for.
*/}}
{{- define "hyperconverged.onlyV1" -}}
[deployment.deployNetworkResourcesInjector, featureGates.deployObservabilityController, featureGates.template, observability]
{{- end -}}

{{/*
hyperconverged.tree is the values in the form of v1's spec: with the default placement and the boot images in their
places. Its feature gates are still a map.
*/}}
{{- define "hyperconverged.tree" -}}
{{- $tree := pick .Values "featureGates" "virtualization" "storage" "workloadSources" "networking" "security" "deployment" "observability" | deepCopy -}}
{{- with .Values.placement -}}
{{- range list "infra" "workload" -}}
{{- if kindIs "invalid" (index $tree.deployment.nodePlacements .) }}{{ $_ := set $tree.deployment.nodePlacements . $.Values.placement }}{{ end -}}
{{- end -}}
{{- end -}}
{{- with .Values.bootImages }}{{ $_ := set $tree.workloadSources "dataImportCronTemplates" (include "hyperconverged.bootImages" . | fromYamlArray) }}{{ end -}}
{{- include "vmrender.compact" $tree -}}
{{- end -}}

{{/*
hyperconverged.spec is the spec in the version that the values name.
*/}}
{{- define "hyperconverged.spec" -}}
{{- $tree := include "hyperconverged.tree" . | fromYaml -}}
{{- if eq (include "hyperconverged.apiVersion" .) "v1" -}}
{{- with $tree.featureGates -}}
{{- $gates := list -}}
{{- range $name, $on := . }}{{ $gates = append $gates (dict "name" $name "state" (ternary "Enabled" "Disabled" $on)) }}{{ end -}}
{{- $_ := set $tree "featureGates" $gates -}}
{{- end -}}
{{- toYaml $tree -}}
{{- else -}}
{{- range include "hyperconverged.onlyV1" . | fromYamlArray -}}
{{- if include "vmrender.remap" (dict "values" $tree "rows" (list (list . "found"))) | fromYaml -}}
{{- fail (printf "%s: not in hco.kubevirt.io/v1beta1; set apiVersion: v1 to use it" .) -}}
{{- end -}}
{{- end -}}
{{- $spec := include "vmrender.remap" (dict "values" $tree "rows" (include "hyperconverged.v1beta1" . | fromYamlArray)) | fromYaml -}}
{{- $configured := dig "virtualization" "mediatedDevicesConfiguration" "enabled" nil $tree -}}
{{- if kindIs "bool" $configured -}}
{{- $_ := set $spec "featureGates" (get $spec "featureGates" | default (dict) | merge (dict "disableMDevConfiguration" (not $configured))) -}}
{{- end -}}
{{- toYaml $spec -}}
{{- end -}}
{{- end -}}

{{/*
hyperconverged.bootImages are the boot images as DataImportCron templates. Volumes are bound immediately, as no pod
mounts them before the first VM.
*/}}
{{- define "hyperconverged.bootImages" -}}
{{- range $name, $image := . }}
- metadata:
    name: {{ $name | quote }}
    annotations:
      dataimportcrontemplate.kubevirt.io/enable: {{ ne $image.enabled false | quote }}
      {{- if $image.size }}
      cdi.kubevirt.io/storage.bind.immediate.requested: "true"
      {{- end }}
      {{- with $image.architectures }}
      ssp.kubevirt.io/dict.architectures: {{ join "," . | quote }}
      {{- end }}
    {{- with include "hyperconverged.bootImageLabels" $image | fromYaml }}
    labels:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  {{- if $image.size }}
  spec:
    schedule: {{ $image.schedule | default "0 */12 * * *" | quote }}
    managedDataSource: {{ $image.dataSource | default $name | quote }}
    garbageCollect: Outdated
    {{- with $image.importsToKeep }}
    importsToKeep: {{ . }}
    {{- end }}
    {{- with $image.retentionPolicy }}
    retentionPolicy: {{ . }}
    {{- end }}
    template:
      spec:
        source:
          registry:
            {{- if $image.imageStream }}
            pullMethod: node
            {{- end }}
            {{- pick $image "url" "imageStream" "secretRef" "certConfigMap" | toYaml | nindent 12 }}
        storage:
          {{- with $image.storageClassName }}
          storageClassName: {{ . | quote }}
          {{- end }}
          resources:
            requests:
              storage: {{ $image.size | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
hyperconverged.bootImageLabels are what the console proposes for VMs from an image.
*/}}
{{- define "hyperconverged.bootImageLabels" -}}
{{- with .defaultInstancetype }}
instancetype.kubevirt.io/default-instancetype: {{ . | quote }}
{{- end }}
{{- with .defaultPreference }}
instancetype.kubevirt.io/default-preference: {{ . | quote }}
{{- end }}
{{- end -}}

{{/*
hyperconverged.annotations are the annotations from values, with the patches as JSON.
*/}}
{{- define "hyperconverged.annotations" -}}
{{- $annotations := .Values.annotations | default dict | deepCopy -}}
{{- range $key, $component := dict "kubevirt" "kubevirt" "cdi" "containerizeddataimporter" "networkAddons" "networkaddonsconfigs" "ssp" "ssp" -}}
{{- with index $.Values.jsonPatches $key }}{{ $_ := set $annotations (printf "%s.kubevirt.io/jsonpatch" $component) (toJson .) }}{{ end -}}
{{- end -}}
{{- toYaml $annotations -}}
{{- end -}}
