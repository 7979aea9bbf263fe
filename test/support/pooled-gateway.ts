import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { Pool } from 'undici'
import { type App, startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { livedClock } from './clock.ts'
import { TEST_SETTINGS } from './gateway.ts'
import { testRandom } from './random.ts'
import { layEmptyStore } from './sqlite-store.ts'

/** A node in the settings; `options` are appended to its URL, for example `role=fallback&weight=2`. */
export interface NodeEntry {
  url: string
  wsUrl?: string
  options?: string
}

export interface Answer {
  status: number
  /** The `X-Cache` header. */
  cache: string | undefined
  body: Record<string, unknown>
}

export interface PooledGateway {
  app: App
  ask(action: string, params?: object): Promise<Answer>
  /** Closes it before the test ends; may be called again. */
  close(): Promise<void>
}

export interface PooledOptions {
  clock?: Clock
  env?: Record<string, string>
}

/** The real gateway with the given nodes and clock, and a client that keeps connections open. */
export async function openPooledGateway(
  t: TestContext,
  nodes: readonly NodeEntry[],
  { clock = livedClock, env = {} }: PooledOptions = {},
): Promise<PooledGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  const config = loadConfig({
    ...TEST_SETTINGS,
    DATA_DIR: folder,
    NODE_URLS: nodes.map(({ url, options = '' }) => `${url}#${options}`).join(','),
    NODE_WS_URLS: nodes.map(({ wsUrl }) => wsUrl).join(','),
    NODE_NETWORK: 'dev',
    ...env,
  })
  await layEmptyStore(join(folder, 'gateway.db'))
  const app = await startApp(config, { clock, random: testRandom, log: pino({ level: 'silent' }) })
  const client = new Pool(app.url, { connections: 512 })
  let closing: Promise<void> | undefined
  const close = async () => {
    await client.destroy()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const gateway: PooledGateway = {
    app,
    async ask(action, params = {}) {
      const body = JSON.stringify({ action, ...params })
      const response = await client.request({ method: 'POST', path: '/', body })
      const cache = response.headers['x-cache'] as string | undefined
      return { status: response.statusCode, cache, body: (await response.body.json()) as Record<string, unknown> }
    },
    close: () => (closing ??= close()),
  }
  t.after(() => gateway.close())
  return gateway
}
