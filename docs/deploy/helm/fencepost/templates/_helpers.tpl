{{- define "fencepost.name" -}}
{{- if contains "fencepost" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-fencepost" (.Release.Name | trunc 42 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "fencepost.selector" -}}
app.kubernetes.io/name: fencepost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fencepost.labels" -}}
{{ include "fencepost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "fencepost-%s" .Chart.Version | replace "+" "_" }}
{{- end }}
