{{/* What names of this release's objects begin with: room is left for "-redis-access" and names of sets of workers. */}}
{{- define "switchyard.fullname" -}}
{{- $usual := ternary .Release.Name (printf "%s-switchyard" .Release.Name) (contains "switchyard" .Release.Name) -}}
{{- .Values.fullnameOverride | default $usual | trunc 30 | trimSuffix "-" -}}
{{- end -}}

{{/* What selects pods of a component. Takes a list: the root, the component. */}}
{{- define "switchyard.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: switchyard
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Labels of an object. Takes a list: the root, the component. */}}
{{- define "switchyard.labels" -}}
{{- $root := index . 0 -}}
{{ include "switchyard.selector" . }}
app.kubernetes.io/part-of: switchyard
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "switchyard.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "switchyard.fullname" .) -}}
{{- end -}}

{{- define "switchyard.gatewaySecret" -}}
{{- .Values.secrets.gateway | default (printf "%s-gateway" (include "switchyard.fullname" .)) -}}
{{- end -}}
{{- define "switchyard.programsSecret" -}}
{{- .Values.secrets.programs | default (printf "%s-programs" (include "switchyard.fullname" .)) -}}
{{- end -}}
{{- define "switchyard.metricsSecret" -}}
{{- .Values.secrets.metrics | default (printf "%s-metrics" (include "switchyard.fullname" .)) -}}
{{- end -}}
{{- define "switchyard.redisSecret" -}}
{{- .Values.redis.existingSecret | default (printf "%s-redis" (include "switchyard.fullname" .)) -}}
{{- end -}}

{{/* Takes a list: the root, the values of an image. */}}
{{- define "switchyard.image" -}}
{{- $root := index . 0 -}}{{- $image := merge (dict) (index . 1) $root.Values.image -}}
{{- printf "%s:%s" $image.repository ($image.tag | default $root.Chart.AppVersion) -}}
{{- end -}}

{{/* A set of workers, with what it does not say itself, as YAML. Takes a list: the root, its values. */}}
{{- define "switchyard.worker" -}}
{{- include "switchyard.over" (list (index . 0).Values.worker (index . 1)) -}}
{{- end -}}

{{/*
Maps, one over the other, as YAML; maps in them, too. Helm's own merge takes an empty value, such as 0 or false, for one
that is not there. Takes a list of maps: the last one counts most.
*/}}
{{- define "switchyard.over" -}}
{{- $all := dict -}}
{{- range $map := . -}}
{{- range $key, $value := $map -}}
{{- $below := get $all $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $below) (ne $key "agents") -}}
{{- $value = include "switchyard.over" (list $below $value) | fromYaml -}}
{{- end -}}
{{- $_ := set $all $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
