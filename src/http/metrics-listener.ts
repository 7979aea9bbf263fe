import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../kernel/loopback.ts'
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
function createMetricsServer({ token, read, onError }: MetricsServerOptions): Server {
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

/** The default port for metrics. */
const USUAL_PORT = 9464

interface MetricsListener {
  /** Undefined when metrics are switched off. */
  url: string | undefined
  close(): Promise<void>
}

interface MetricsListenerOptions {
  read(): Promise<string>
  onError(error: unknown): void
  /** Called if the default port is taken and another one is used. */
  onOtherPort(reason: string): void
}

/** Opens a separate port for metrics, so that a load balancer in front of the gateway cannot expose them. */
export async function openMetricsListener(config: Config, options: MetricsListenerOptions): Promise<MetricsListener> {
  if (!config.metrics) return { url: undefined, close: () => Promise.resolve() }
  requireMetricsToken(config)
  const host = config.metricsHost
  const server = createMetricsServer({
    token: config.metricsToken,
    read: () => options.read(),
    onError: (error) => options.onError(error),
  })
  const wanted = config.metricsPort === 'auto' ? USUAL_PORT : config.metricsPort
  await listen(server, host, wanted).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    if (config.metricsPort === 'auto' && config.isLocal) return listen(server, host, 0)
    throw new Error(
      `Port ${wanted} for metrics is already in use. Set another one, METRICS_PORT=${wanted + 1}, or none, METRICS=false.`,
      { cause: error },
    )
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`
  if (wanted !== 0 && port !== wanted) {
    options.onOtherPort(
      `Port ${wanted} is already in use, probably by another gateway. The metrics of this one are at ${url}`,
    )
  }
  return {
    url,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Metrics show amounts of money, so other machines may read them only with a token. */
export function requireMetricsToken({ metrics, metricsHost, metricsToken }: Config): void {
  if (metrics && !isLoopback(metricsHost) && metricsToken === undefined) {
    throw new Error('METRICS_TOKEN must be set where METRICS_HOST is not loopback (openssl rand -hex 24).')
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}
