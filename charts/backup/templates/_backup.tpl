{{/*
backup.default is the name of the default location. OADP wants exactly one (openshift/oadp-operator oadp-1.5,
internal/controller/bsl.go, ValidateBackupStorageLocations).
*/}}
{{- define "backup.default" -}}
{{- $defaults := list -}}
{{- range $name, $location := .Values.backupLocations -}}
{{- if $location.default }}{{ $defaults = append $defaults $name }}{{ end -}}
{{- if and (eq $name "default") (eq $location.default false) -}}
{{- fail "backupLocations.default.default: false; OADP makes a location of this name the default; use another name" -}}
{{- end -}}
{{- end -}}
{{- $names := keys .Values.backupLocations | sortAlpha -}}
{{- if gt (len $defaults) 1 -}}
{{- fail (printf "backupLocations.%s.default: %q is the default as well; remove one of them" (last $defaults) (first $defaults)) -}}
{{- end -}}
{{- if and (not $defaults) (eq (len $names) 1) -}}
{{- if eq (get .Values.backupLocations (first $names)).default false -}}
{{- fail (printf "backupLocations.%s.default: false, but OADP needs a default location; remove it" (first $names)) -}}
{{- end -}}
{{- $defaults = $names -}}
{{- end -}}
{{- if not $defaults -}}
{{- fail (printf "backupLocations: none of %s is the default; add `default: true` to one of them" (join ", " $names)) -}}
{{- end -}}
{{- first $defaults -}}
{{- end -}}

{{/*
backup.location is an entry of the DataProtectionApplication for a location. What a provider needs is checked as in
openshift/oadp-operator oadp-1.5, internal/controller/bsl.go.
Usage: {{ include "backup.location" (dict "name" $name "location" $location "default" $isDefault) | fromYaml }}
*/}}
{{- define "backup.location" -}}
{{- $config := .location.config | default dict -}}
{{- $needed := dict "azure" (list "resourceGroup" "storageAccount") -}}
{{- if eq (get $config "s3ForcePathStyle") "true" }}{{ $_ := set $needed "aws" (list "region") }}{{ end -}}
{{- range get $needed .location.provider | default list -}}
{{- if not (get $config .) }}{{ fail (printf "backupLocations.%s.config.%s: missing; OADP needs it for this location" $.name .) }}{{ end -}}
{{- end -}}
{{- range $key, $_ := $config -}}
{{- if regexMatch "(?i)secret|password|access_?key|token" $key -}}
{{- fail (printf "backupLocations.%s.config.%s: looks like a secret, which Git must not contain; expected it in the Secret that `credential` names" $.name $key) -}}
{{- end -}}
{{- end -}}
name: {{ .name | quote }}
velero:
  provider: {{ .location.provider }}
  {{- if .default }}
  default: true
  {{- end }}
  {{- with .location.accessMode }}
  accessMode: {{ . }}
  {{- end }}
  objectStorage:
    {{- pick .location "bucket" "prefix" "caCert" | toYaml | nindent 4 }}
  {{- with $config }}
  config:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .location.credential }}
  credential:
    {{- dict "name" .name "key" (.key | default "cloud") | toYaml | nindent 4 }}
  {{- end }}
{{- end -}}
