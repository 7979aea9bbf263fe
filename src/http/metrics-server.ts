import { createHash, timingSafeEqual } from 'node:crypto'
import { type Server, createServer } from 'node:http'

/** Most simultaneous connections: a scraper and a person need only a few. */
const CONNECTIONS_MAX = 50
const PATH = '/metrics'

interface MetricsServerOptions {
  /** The bearer token that callers must send; undefined if only this machine can connect. */
  token: string | undefined
  read(): Promise<string>
  onError(error: unknown): void
}

/**
 * Serves the metrics for Prometheus on exactly one path, so that no variant of the path can bypass the rules of a proxy
 * in front.
 */
export function createMetricsServer({ token, read, onError }: MetricsServerOptions): Server {
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`)
  let reading: Promise<string> | undefined
  const server = createServer((request, response) => {
    request.resume()
    const refuse = (status: number, reason: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${reason}\n`)
    if (wanted && !timingSafeEqual(wanted, digest(request.headers.authorization ?? ''))) {
      return void refuse(401, 'METRICS_TOKEN is missing or wrong.', { 'www-authenticate': 'Bearer' })
    }
    if (request.url !== PATH) return void refuse(404, `Only ${PATH} is here.`)
    if (request.method !== 'GET') return void refuse(405, 'Only GET is answered.', { allow: 'GET' })
    // Simultaneous scrapes share one read of the store.
    reading ??= read().finally(() => (reading = undefined))
    reading.then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      (error: unknown) => {
        onError(error)
        refuse(500, 'The numbers cannot be read.')
      },
    )
  })
  server.maxConnections = CONNECTIONS_MAX
  return server
}

/** Compared as digests, because a comparison in constant time needs equal lengths. */
const digest = (text: string) => createHash('sha256').update(text).digest()
