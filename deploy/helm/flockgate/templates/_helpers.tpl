{{- define "flockgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "flockgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "flockgate.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "flockgate.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "flockgate.selector" -}}
app.kubernetes.io/name: {{ include "flockgate.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "flockgate.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "flockgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "flockgate.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "flockgate.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "flockgate.scheme" -}}
{{- ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") -}}
{{- end -}}

{{/* A size, which Kubernetes may write otherwise: 1024Mi is 1Gi. */}}
{{- define "flockgate.kibibytes" -}}
{{- mul (regexFind "^[0-9]+" .) (get (dict "Ki" 1 "Mi" 1024 "Gi" 1048576 "Ti" 1073741824 "Pi" 1099511627776) (regexFind "[A-Z]i$" .)) -}}
{{- end -}}

{{/* What values.schema.json cannot say. */}}
{{- define "flockgate.check" -}}
{{- $kind := ternary "StatefulSet" "Deployment" (eq .Values.storage "memory") -}}
{{- $installed := lookup "apps/v1" $kind .Release.Namespace (include "flockgate.fullname" .) -}}
{{- if and $installed (ne (include "flockgate.name" .) (get $installed.spec.selector.matchLabels "app.kubernetes.io/name")) -}}
{{- fail "an upgrade cannot change nameOverride: uninstall and install again, see values.yaml" -}}
{{- end -}}
{{- if and $installed (eq .Values.storage "memory") -}}
{{- $volume := false -}}
{{- $class := "" -}}
{{- $size := include "flockgate.kibibytes" .Values.dataDir.size -}}
{{- range $installed.spec.volumeClaimTemplates -}}
{{- $volume = true -}}
{{- if .spec.storageClassName -}}{{- $class = .spec.storageClassName -}}{{- end -}}
{{- if ne $size (include "flockgate.kibibytes" .spec.resources.requests.storage) -}}{{- $size = "" -}}{{- end -}}
{{- end -}}
{{- if or (ne $volume .Values.dataDir.enabled) (and $volume (or (ne $class .Values.dataDir.storageClass) (not $size))) -}}
{{- fail "an upgrade cannot change dataDir: uninstall and install again, see values.yaml" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.dataDir.enabled (ne .Values.storage "memory") -}}
{{- fail "dataDir.enabled needs storage: memory, because the storage consul keeps everything in Consul" -}}
{{- end -}}
{{- if and .Values.shutdown.preStopSeconds (semverCompare "<1.30.0-0" .Capabilities.KubeVersion.Version) -}}
{{- fail "shutdown.preStopSeconds needs Kubernetes 1.30" -}}
{{- end -}}
{{- if and .Values.tls.clientCaSecret.name (not .Values.tls.secret) -}}
{{- fail "tls.clientCaSecret needs tls.secret" -}}
{{- end -}}
{{- if and .Values.tls.clientCaSecret.name (not .Values.tokensSecret.name) -}}
{{- fail "tls.clientCaSecret needs tokensSecret: without tokens no client gets past the handshake without a certificate, and neither do probes" -}}
{{- end -}}
{{- end -}}

{{- define "flockgate.hosts" -}}
{{- $name := include "flockgate.fullname" . -}}
{{- $namespace := .Release.Namespace -}}
{{- concat (list $name (printf "%s.%s" $name $namespace) (printf "%s.%s.svc" $name $namespace) (printf "%s.%s.svc.cluster.local" $name $namespace)) .Values.http.allowedHosts | join "," -}}
{{- end -}}

{{/* The pod, the same in the Deployment and the StatefulSet. */}}
{{- define "flockgate.pod" -}}
metadata:
  labels:
    {{- include "flockgate.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  serviceAccountName: {{ include "flockgate.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # More than everything that happens between SIGTERM and the end; see docs/guide/operating.md.
  terminationGracePeriodSeconds: {{ add .Values.shutdown.preStopSeconds .Values.shutdown.delaySeconds .Values.shutdown.timeoutSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    # The group of mounted Secrets and of the volume.
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: gateway
      image: "{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - --host=0.0.0.0
        - --port=6388
        - --http-port=6389
        - --storage={{ .Values.storage }}
        - --node-name=$(POD_NAME)
        - --shutdown-delay={{ int .Values.shutdown.delaySeconds }}
        - --shutdown-timeout={{ int .Values.shutdown.timeoutSeconds }}
        - --http-allowed-hosts={{ include "flockgate.hosts" . }}
        {{- if eq .Values.storage "consul" }}
        - --consul-addr={{ default "http://$(HOST_IP):8500" .Values.consul.address }}
        - --consul-prefix={{ .Values.consul.prefix }}
        - --consul-session-ttl={{ int .Values.consul.sessionTtl }}
        {{- if .Values.consul.tokenSecret.name }}
        - --consul-token-file=/etc/flockgate/consul-token/{{ .Values.consul.tokenSecret.key }}
        {{- end }}
        {{- if .Values.consul.caSecret.name }}
        - --consul-ca-file=/etc/flockgate/consul-ca/{{ .Values.consul.caSecret.key }}
        {{- end }}
        {{- end }}
        {{- if .Values.dataDir.enabled }}
        - --data-dir=/var/lib/flockgate
        {{- end }}
        {{- if .Values.tokensSecret.name }}
        - --tokens-file=/etc/flockgate/tokens/{{ .Values.tokensSecret.key }}
        {{- end }}
        {{- if .Values.tls.secret }}
        - --tls-cert=/etc/flockgate/tls/tls.crt
        - --tls-key=/etc/flockgate/tls/tls.key
        {{- end }}
        {{- if .Values.tls.clientCaSecret.name }}
        - --tls-client-ca=/etc/flockgate/client-ca/{{ .Values.tls.clientCaSecret.key }}
        {{- end }}
        {{- with .Values.extraArgs }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      env:
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: HOST_IP
          valueFrom:
            fieldRef:
              fieldPath: status.hostIP
        {{- with .Values.jvmOptions }}
        - name: FLOCKGATE_OPTS
          value: {{ . | quote }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: line
          containerPort: 6388
        - name: http
          containerPort: 6389
      {{- if .Values.shutdown.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ int .Values.shutdown.preStopSeconds }}
      {{- end }}
      # Not ready: new clients go elsewhere, and those that are here stay. Only a gateway that does not answer at all is started again,
      # because that ends everything it holds.
      startupProbe:
        httpGet: {path: /health, port: http, scheme: {{ include "flockgate.scheme" . }}}
        {{- toYaml .Values.startupProbe | nindent 8 }}
      livenessProbe:
        httpGet: {path: /health, port: http, scheme: {{ include "flockgate.scheme" . }}}
        {{- toYaml .Values.livenessProbe | nindent 8 }}
      readinessProbe:
        httpGet: {path: /ready, port: http, scheme: {{ include "flockgate.scheme" . }}}
        {{- toYaml .Values.readinessProbe | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        # For temporary files of Java.
        - name: tmp
          mountPath: /tmp
        {{- if .Values.dataDir.enabled }}
        - name: data
          mountPath: /var/lib/flockgate
        {{- end }}
        {{- range (include "flockgate.secrets" . | fromYamlArray) }}
        - name: {{ .mount }}
          mountPath: /etc/flockgate/{{ .mount }}
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
    {{- range (include "flockgate.secrets" . | fromYamlArray) }}
    - name: {{ .mount }}
      secret:
        secretName: {{ .secret }}
        defaultMode: 0440
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if eq .Values.storage "consul" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "flockgate.selector" . | nindent 10 }}
  {{- end }}
{{- end -}}

{{/* The Secrets that are mounted, as a list of {mount, secret}. Whole Secrets, because a subPath would not follow their changes. */}}
{{- define "flockgate.secrets" -}}
{{- $all := list -}}
{{- if eq .Values.storage "consul" -}}
{{- with .Values.consul.tokenSecret.name }}{{ $all = append $all (dict "mount" "consul-token" "secret" .) }}{{ end -}}
{{- with .Values.consul.caSecret.name }}{{ $all = append $all (dict "mount" "consul-ca" "secret" .) }}{{ end -}}
{{- end -}}
{{- with .Values.tokensSecret.name }}{{ $all = append $all (dict "mount" "tokens" "secret" .) }}{{ end -}}
{{- with .Values.tls.secret }}{{ $all = append $all (dict "mount" "tls" "secret" .) }}{{ end -}}
{{- with .Values.tls.clientCaSecret.name }}{{ $all = append $all (dict "mount" "client-ca" "secret" .) }}{{ end -}}
{{- toYaml $all -}}
{{- end -}}
