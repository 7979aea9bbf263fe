import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { Config } from '../config/config.ts'
import { createMetricsServer } from './metrics-server.ts'
import { isLoopback } from '../kernel/loopback.ts'

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
