{{/*
User data of a virtual machine.
*/}}
{{- define "machines.userData" -}}
#cloud-config
hostname: {{ .machine.name }}
user: {{ .machine.user | default "cloud-user" }}
ssh_authorized_keys:
  - {{ .machine.sshKey }}
packages:
  - qemu-guest-agent
runcmd:
  - [systemctl, enable, --now, qemu-guest-agent]
{{- end }}
