{{/* The text of a setting: YAML reads on and off as true and false, and Helm every number as one with a fraction. */}}
{{- define "switchyard.text" -}}
{{- if kindIs "bool" . -}}{{ ternary "on" "off" . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) -}}{{ printf "%.0f" . }}
{{- else -}}{{ . }}
{{- end -}}
{{- end -}}

{{/* Variables of settings, by name. Takes a map. */}}
{{- define "switchyard.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ include "switchyard.text" $value | quote }}
{{- end }}
{{- end -}}

{{/* Settings of gateways, as given: what is given to gateways alone counts most. */}}
{{- define "switchyard.gatewayGiven" -}}
{{- include "switchyard.over" (list (dict "AUTH" "api-key") .Values.settings .Values.gateway.settings) -}}
{{- end -}}

{{/* Settings of workers, as given. Takes a list: the root, worker. */}}
{{- define "switchyard.workerGiven" -}}
{{- include "switchyard.over" (list (dict "DRAIN_MS" 30000) (index . 0).Values.settings (index . 1).settings) -}}
{{- end -}}

{{/* Seconds of a drain, rounded up. Takes settings of a program, as YAML. */}}
{{- define "switchyard.drainSeconds" -}}
{{- divf (float64 (fromYaml .).DRAIN_MS) 1000 | ceil | int -}}
{{- end -}}

{{/* Seconds that a gateway needs to stop: what load balancers need, the drain, and 5 to write what it holds. */}}
{{- define "switchyard.gatewayStopSeconds" -}}
{{- $drain := include "switchyard.drainSeconds" (include "switchyard.over" (list (dict "DRAIN_MS" 3000) (include "switchyard.gatewayGiven" . | fromYaml))) | int -}}
{{- add .Values.gateway.preStopSeconds $drain 5 -}}
{{- end -}}

{{/* Seconds that a worker needs to stop: its drain, the 8 after which it gives up, and 2. Takes a list: root, worker. */}}
{{- define "switchyard.workerStopSeconds" -}}
{{- add (include "switchyard.drainSeconds" (include "switchyard.workerGiven" .) | int) 10 -}}
{{- end -}}

{{/* What all programs know of Redis. */}}
{{- define "switchyard.redisSettings" -}}
{{- if .Values.redis.enabled -}}
REDIS_URL: {{ ternary "rediss" "redis" .Values.redis.tls }}://switchyard@{{ include "switchyard.fullname" . }}-redis:6379
REDIS_PASSWORD_FILE: /secrets/redis-password
{{- if .Values.redis.tls }}
REDIS_CA_FILE: /secrets/redis-ca.crt
{{- end }}
{{- else -}}
REDIS_URL: {{ .Values.externalRedis.url | quote }}
{{- if .Values.externalRedis.existingSecret }}
{{- if .Values.externalRedis.passwordKey }}
REDIS_PASSWORD_FILE: /secrets/redis-password
{{- end }}
{{- if .Values.externalRedis.caKey }}
REDIS_CA_FILE: /secrets/redis-ca.crt
{{- end }}
{{- end }}
{{- end }}
PUSH_SECRET_FILE: /secrets/push-secret
METRICS_KEY_FILE: /secrets/metrics-key
{{- end -}}

{{- define "switchyard.gatewaySettings" -}}
HOST: 0.0.0.0
PORT: "4000"
GRPC_PORT: {{ ternary "4001" "off" .Values.gateway.grpc.enabled | quote }}
ADMIN_HOST: 0.0.0.0
ADMIN_PORT: "4100"
ADMIN_KEY_FILE: /secrets/operator-key
{{- if has "api-key" (splitList " " (replace "," " " ((include "switchyard.gatewayGiven" . | fromYaml).AUTH | toString))) }}
API_KEYS_FILE: /secrets/api-keys
{{- end }}
{{- if or .Values.ingress.enabled .Values.httpRoute.enabled }}
TRUST_PROXY: "on"
{{- end }}
{{- if .Values.gateway.tls.existingSecret }}
TLS_CERT_FILE: /tls/tls.crt
TLS_KEY_FILE: /tls/tls.key
{{- if .Values.gateway.tls.clientCertificates }}
TLS_CLIENT_CA_FILE: /tls/ca.crt
{{- end }}
{{- end }}
{{- end -}}

{{/* What makes no sense together is refused with words, before anything is applied. */}}
{{- define "switchyard.check" -}}
{{- $stop := include "switchyard.gatewayStopSeconds" . | int -}}
{{- $given := .Values.gateway.terminationGracePeriodSeconds | int -}}
{{- if and $given (lt $given $stop) -}}
{{- fail (printf "gateway.terminationGracePeriodSeconds: %d is too short: with preStopSeconds and DRAIN_MS it takes %d" $given $stop) -}}
{{- end -}}
{{- $settings := include "switchyard.gatewayGiven" . | fromYaml -}}
{{- if and (has "none" (splitList " " (replace "," " " ($settings.AUTH | toString)))) (not (has $settings.ALLOW_ANONYMOUS (list true "true" "on"))) -}}
{{- fail "gateway.settings.AUTH: none lets everybody read and cancel every task: it needs ALLOW_ANONYMOUS: true beside it" -}}
{{- end -}}
{{- if and .Values.gateway.autoscaling.enabled (gt (int .Values.gateway.autoscaling.minReplicas) (int .Values.gateway.autoscaling.maxReplicas)) -}}
{{- fail "gateway.autoscaling: minReplicas is more than maxReplicas" -}}
{{- end -}}
{{- if and .Values.redis.enabled .Values.externalRedis.url -}}
{{- fail "externalRedis.url: set redis.enabled to false, too: there are to be one Redis and no other" -}}
{{- end -}}
{{- if not (or .Values.redis.enabled .Values.externalRedis.url) -}}
{{- fail "externalRedis.url: where is Redis? redis.enabled is false" -}}
{{- end -}}
{{- if regexMatch "^[a-z+]+://[^/@]*:[^/@]*@" .Values.externalRedis.url -}}
{{- fail "externalRedis.url: has a password in it, which everybody could read in the pods: put it in externalRedis.existingSecret" -}}
{{- end -}}
{{- $memory := .Values.redis.resources.limits.memory | toString -}}
{{- if and .Values.redis.enabled (lt (include "switchyard.bytes" $memory | int64) (mul 2 (include "switchyard.bytes" .Values.redis.maxmemory | int64))) -}}
{{- fail (printf "redis.resources.limits.memory: %s is less than twice redis.maxmemory (%s): Redis would be killed while it rewrites its file" $memory .Values.redis.maxmemory) -}}
{{- end -}}
{{- range $name, $given := .Values.workers -}}
{{- include "switchyard.checkWorker" (list $ $name (include "switchyard.worker" (list $ $given) | fromYaml)) -}}
{{- end -}}
{{- end -}}

{{- define "switchyard.checkWorker" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}{{- $worker := index . 2 -}}
{{- $stop := include "switchyard.workerStopSeconds" (list $root $worker) | int -}}
{{- $given := $worker.terminationGracePeriodSeconds | int -}}
{{- if and $given (lt $given $stop) -}}
{{- fail (printf "workers.%s.terminationGracePeriodSeconds: %d is too short: with DRAIN_MS it takes %d" $name $given $stop) -}}
{{- end -}}
{{- if $worker.scaling.enabled -}}
{{- if gt (int $worker.scaling.minReplicas) (int $worker.scaling.maxReplicas) -}}
{{- fail (printf "workers.%s.scaling: minReplicas is more than maxReplicas" $name) -}}
{{- end -}}
{{- $wait := (include "switchyard.gatewayGiven" $root | fromYaml).MAX_QUEUE_WAIT_MS -}}
{{- if and $wait (ne (toString $wait) "off") (eq (int $worker.scaling.minReplicas) 0) -}}
{{- fail (printf "workers.%s.scaling.minReplicas: 0 does not go with MAX_QUEUE_WAIT_MS: without a worker nothing begins in time, and messages are refused. Have 1, or leave MAX_QUEUE_WAIT_MS off" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Bytes of a quantity of Kubernetes (4Gi) or Redis (2gb). */}}
{{- define "switchyard.bytes" -}}
{{- $number := regexFind "^[0-9]+" . | int64 -}}
{{- $unit := regexReplaceAll "^[0-9]+" . "" | lower | trimSuffix "b" -}}
{{- $factors := dict "" 1 "k" 1024 "ki" 1024 "m" 1048576 "mi" 1048576 "g" 1073741824 "gi" 1073741824 -}}
{{- mul $number (get $factors $unit | int64) -}}
{{- end -}}

{{/* Whether a worker without agents is needed: "true", or nothing. */}}
{{- define "switchyard.needsMaintenance" -}}
{{- $always := false -}}
{{- range $name, $given := .Values.workers -}}
{{- $worker := include "switchyard.worker" (list $ $given) | fromYaml -}}
{{- $least := ternary $worker.scaling.minReplicas $worker.replicas $worker.scaling.enabled -}}
{{- if gt (int $least) 0 -}}{{- $always = true -}}{{- end -}}
{{- end -}}
{{- if or (eq .Values.maintenance.enabled "always") (and (eq .Values.maintenance.enabled "auto") (not $always)) -}}true{{- end -}}
{{- end -}}
