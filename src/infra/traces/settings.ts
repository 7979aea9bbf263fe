import { BadSetting, list, secretSetting, setting } from '../../kernel/setting.ts'

const collector = (value: string) => {
  if (value === '') return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new BadSetting('must be an http or https address')
  // This address is shown on pages, so it must not contain credentials.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new BadSetting('must be an address alone: what opens the collector belongs into OTEL_EXPORTER_OTLP_HEADERS')
  }
  return value.replace(/\/+$/, '')
}

const serviceName = (value: string) => {
  if (!/^[\x20-\x7e]{1,100}$/.test(value)) throw new BadSetting('must be 1 to 100 printable characters')
  return value
}

const share = (value: string) => {
  const number = Number(value)
  if (!/^[0-9]*\.?[0-9]+$/.test(value) || number > 1) throw new BadSetting('must be a number from 0 to 1, as 0.01')
  return number
}

/** `name=value` pairs separated by commas, with percent-encoded values, as OpenTelemetry defines it. */
const headers = (value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list(value).map((entry) => {
      const at = entry.indexOf('=')
      const name = entry.slice(0, at).trim().toLowerCase()
      const text = decode(entry.slice(at + 1).trim())
      if (at < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || text === undefined || !/^[\x20-\x7e]*$/.test(text)) {
        throw new BadSetting('must be headers as name=value, separated by commas')
      }
      return [name, text]
    }),
  )

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    // An invalid percent sign; the general error message explains the format.
    return undefined
  }
}

/** Settings of traces for a collector of OpenTelemetry. */
export const TRACE_SETTINGS = {
  tracesCollector: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    collector,
    'OpenTelemetry collector that takes traces over HTTP, such as `http://collector:4318`; without one there are no traces.',
  ),
  tracesHeaders: secretSetting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    '',
    headers,
    'Headers for the collector, as `name=value` separated by commas; put credentials here.',
  ),
  tracesService: setting('OTEL_SERVICE_NAME', 'nano-gateway', serviceName, 'Name of the gateway in traces.'),
  tracesShare: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '0.01',
    share,
    'Share of requests to trace, from 0 to 1; callers cannot change it.',
  ),
  tracesTrusted: setting(
    'TRACES_TRUSTED_CALLERS',
    '',
    list,
    'Addresses or networks of callers whose `traceparent` decides whether their requests are traced.',
  ),
} as const
