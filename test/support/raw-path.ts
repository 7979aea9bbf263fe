import { request } from 'node:http'

export interface RawReply {
  status: number
  text: string
}

/** Forms of `/metrics` that a server or a proxy's rule may treat as the same path. */
export const WAYS_TO_METRICS =
  `/metrics /metrics/ /metrics// //metrics ///metrics/ /./metrics /x/../metrics /metrics/. /metrics/x/.. /metrics%2f
  /metrics%2F /%2fmetrics /%2e/metrics /%6detrics /metric%73 /metrics%00 /metrics? /metrics/?x /metrics;x /metrics.
  /metrics%20 /METRICS /Metrics/ /metrics%5c`.split(/\s+/)

/** Requests a path exactly as written, without normalising it. */
export function askPath(url: string, path: string): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject)
    })
    asked.on('error', reject).end()
  })
}
