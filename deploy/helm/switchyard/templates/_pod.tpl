{{/*
What all pods of Switchyard have in common. Takes a map: root, component, the values of the program, and the seconds that
it needs to stop.
*/}}
{{- define "switchyard.podSpec" -}}
serviceAccountName: {{ include "switchyard.serviceAccount" .root }}
automountServiceAccountToken: false
# Variables with addresses of services would look like settings.
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds | default .stopSeconds }}
securityContext:
  {{- include "switchyard.podSecurity" 65532 | nindent 2 }}
{{- include "switchyard.placement" . }}
{{- end -}}

{{- define "switchyard.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "switchyard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* On nodes and in zones of their own, as far as there are some. */}}
{{- define "switchyard.placement" }}
topologySpreadConstraints:
  {{- $selector := include "switchyard.selector" (list .root .component) }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with get $.values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Each program has the secrets that it needs, and no other. Takes a list: the root, whether it is a gateway. */}}
{{- define "switchyard.secretsVolume" -}}
{{- $root := index . 0 -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ include "switchyard.programsSecret" $root }}
          items: [{ key: push-secret, path: push-secret }]
      - secret:
          name: {{ include "switchyard.metricsSecret" $root }}
          items: [{ key: metrics-key, path: metrics-key }]
      {{- if index . 1 }}
      - secret:
          name: {{ include "switchyard.gatewaySecret" $root }}
          items:
            - { key: operator-key, path: operator-key }
            - { key: api-keys, path: api-keys }
      {{- end }}
      {{- if $root.Values.redis.enabled }}
      - secret:
          name: {{ include "switchyard.redisSecret" $root }}
          items:
            - { key: redis-password, path: redis-password }
            {{- if $root.Values.redis.tls }}
            - { key: ca.crt, path: redis-ca.crt }
            {{- end }}
      {{- else if $root.Values.externalRedis.existingSecret }}
      - secret:
          name: {{ $root.Values.externalRedis.existingSecret }}
          items:
            {{- with $root.Values.externalRedis.passwordKey }}
            - { key: {{ . }}, path: redis-password }
            {{- end }}
            {{- with $root.Values.externalRedis.caKey }}
            - { key: {{ . }}, path: redis-ca.crt }
            {{- end }}
      {{- end }}
{{- end -}}

{{/* The URL of the archive has a password, and several secrets of files are one text: only the pod's secret has them.
Takes a list: root, whether the program takes the archive from the values. */}}
{{- define "switchyard.secretEnv" -}}
{{- $root := index . 0 -}}{{- $hasArchive := index . 1 -}}
{{- with $root.Values.secrets.files }}
- name: FILES_SECRET
  valueFrom: { secretKeyRef: { name: {{ . }}, key: files-secret } }
{{- end }}
{{- with $root.Values.archive }}
{{- if and .existingSecret $hasArchive }}
- name: ARCHIVE_URL
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .urlKey }} } }
{{- end }}
{{- end }}
{{- end -}}

{{- define "switchyard.archiveMount" -}}
{{- if and .Values.archive.existingSecret .Values.archive.caKey }}
- { name: archive, mountPath: /archive, readOnly: true }
{{- end }}
{{- end -}}

{{- define "switchyard.archiveVolume" -}}
{{- with .Values.archive }}
{{- if and .existingSecret .caKey }}
- name: archive
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .caKey }}, path: ca.crt }]
{{- end }}
{{- end }}
{{- end -}}

{{/* The pod of a worker. Takes a map: root, component, values of the set, args. */}}
{{- define "switchyard.workerPod" -}}
metadata:
  labels:
    {{- include "switchyard.labels" (list .root .component) | nindent 4 }}
    switchyard/program: worker
  {{- with .values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "switchyard.podSpec" (set . "stopSeconds" (include "switchyard.workerStopSeconds" (list .root .values))) | nindent 2 }}
  containers:
    - name: worker
      image: {{ include "switchyard.image" (list .root .values.image) }}
      imagePullPolicy: {{ .values.image.pullPolicy | default .root.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        {{- $own := dict "METRICS_HOST" "0.0.0.0" "METRICS_PORT" "9464" }}
        {{- $redis := include "switchyard.redisSettings" .root | fromYaml }}
        {{- $given := include "switchyard.workerGiven" (list .root .values) | fromYaml }}
        {{- $settings := include "switchyard.over" (list $given $redis $own) | fromYaml }}
        {{- include "switchyard.env" $settings | trim | nindent 8 }}
        {{- with include "switchyard.secretEnv" (list .root true) | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with .values.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: metrics, containerPort: 9464 }
      # It answers once its agents are announced, until it has handed back what it ran.
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 3
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        {{- include "switchyard.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - { name: secrets, mountPath: /secrets, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        {{- with include "switchyard.archiveMount" .root | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with .values.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "switchyard.secretsVolume" (list .root false) | nindent 4 }}
    - name: tmp
      emptyDir: {}
    {{- with include "switchyard.archiveVolume" .root | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
