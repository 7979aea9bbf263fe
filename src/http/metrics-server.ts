import { createHash, timingSafeEqual } from 'node:crypto'
import { type Server, createServer } from 'node:http'

/** One scraper and a person beside it need a few. */
const CONNECTIONS_MAX = 50
const PATH = '/metrics'

interface MetricsServerOptions {
  /** What a caller must show; undefined where only this machine can ask. */
  token: string | undefined
  read(): Promise<string>
  onError(error: unknown): void
}

/** The numbers for Prometheus, and nothing else: no other path leads anywhere, so that no rule in front can be led astray. */
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
    // Many who ask at once cost the store one look.
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

/** Texts of any length compare in the same time. */
const digest = (text: string) => createHash('sha256').update(text).digest()
