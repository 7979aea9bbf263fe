{{- define "gateway.labels" -}}
app.kubernetes.io/name: nano-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "gateway.image" -}}
{{ required "image.repository is required: where the image was pushed" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- define "gateway.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: secrets
    secret: { secretName: {{ .Values.existingSecret }}, defaultMode: 288 }
  - name: data
    emptyDir: { sizeLimit: {{ .Values.dataSize }} }
  - name: tmp
    emptyDir: { medium: Memory, sizeLimit: 64Mi }
{{- end }}
{{- define "gateway.container" -}}
image: {{ include "gateway.image" . }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - configMapRef: { name: {{ .Release.Name }} }
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/gateway, readOnly: true }
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}
