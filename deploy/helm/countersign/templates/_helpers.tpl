{{- define "countersign.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "countersign.labels" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "countersign.selector" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "countersign.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "countersign.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "countersign.keysClaim" -}}
{{ .Values.keys.existingClaim | default (printf "%s-keys" (include "countersign.name" .)) }}
{{- end -}}

{{/* Egress rules that every pod has: names, and pods of this release. */}}
{{- define "countersign.egressInside" -}}
- ports:
    {{- range $port := .Values.networkPolicy.dnsPorts }}
    - { port: {{ $port }}, protocol: UDP }
    - { port: {{ $port }}, protocol: TCP }
    {{- end }}
- to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: countersign
          app.kubernetes.io/instance: {{ .Release.Name }}
  ports:
    - { port: http, protocol: TCP }
{{- end -}}

{{/* The port of `host:port` or of a URL; by default that of the scheme. */}}
{{- define "countersign.portOf" -}}
{{- $parts := urlParse (ternary . (printf "tcp://%s" .) (contains "://" .)) -}}
{{- $port := regexFind ":[0-9]+$" $parts.host -}}
{{- if $port -}}{{ trimPrefix ":" $port }}{{- else if eq $parts.scheme "http" -}}80{{- else if eq $parts.scheme "tcp" -}}9092{{- else -}}443{{- end -}}
{{- end -}}
