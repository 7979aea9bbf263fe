import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { type Config, storeUrl } from '../config/config.ts'
import { PostgresHosts } from './db/postgres-hosts.ts'
import { terminalFailures } from './failures.ts'
import { GENESIS_HASHES } from '../kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { NodeAnswer } from '../kernel/ports.ts'
import { textOf, toObject } from '../kernel/shape.ts'
import { askNode } from './http/post-json.ts'
import { askForLedger, compareLedger } from './node/identity.ts'
import { EMBEDDED, isEmbedded, toUpstreams } from './node/upstreams.ts'

const ANSWER_MAX = 5_000
/** Default ports. */
const PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
  'smtp:': 587,
  'smtps:': 465,
  'redis:': 6379,
  'rediss:': 6379,
}

/**
 * Tries to connect to everything that the gateway needs. A gateway does not start without its store; for the others it
 * waits.
 */
export async function checkConnections(config: Config): Promise<{ problems: string[]; warnings: string[] }> {
  const [store, foreign, ...others] = await Promise.all([
    tryStore(storeUrl(config)),
    listForeign(config),
    ...addressesOf(config).map(async ([name, url]) => ({ name, reason: await tryAddress(url) })),
  ])
  return {
    problems: store === undefined ? [] : [`DATABASE_URL: ${store}. Start PostgreSQL, or correct the address.`],
    warnings: [
      ...foreign,
      ...others.flatMap(({ name, reason }) =>
        reason === undefined
          ? []
          : [`${name}: ${reason}. It is asked again while the gateway runs; correct the address if it is wrong.`],
      ),
    ],
  }
}

function addressesOf(config: Config): [string, string][] {
  const { nodeUrls, nodeWsUrls, smtpUrl, redisUrl, workUrls, x402FacilitatorUrl, tracesCollector } = config
  const nodes = nodeUrls.map((entry) => entry.split('#')[0]!).filter((url) => url !== EMBEDDED)
  const listed: [string, readonly (string | undefined)[]][] = [
    ['NODE_URLS', nodes],
    ['NODE_WS_URLS', nodeWsUrls],
    ['SMTP_URL', [smtpUrl]],
    ['REDIS_URL', [redisUrl]],
    ['WORK_URLS', workUrls],
    ['X402_FACILITATOR_URL', [x402FacilitatorUrl]],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', [tracesCollector]],
  ]
  return listed.flatMap(([name, urls]) => urls.flatMap((url) => (url ? [[name, url] as [string, string]] : [])))
}

/** Nodes of another ledger, which a gateway does not use. */
async function listForeign(config: Config): Promise<string[]> {
  const { nodeNetwork: network, devnetWork } = config
  const genesis = GENESIS_HASHES[network]
  if (isEmbedded(config) || genesis === undefined) return []
  const ours = { network, genesis, thresholds: WORK_THRESHOLDS[network === 'dev' ? devnetWork : network] }
  const found = await Promise.all(
    toUpstreams(config, undefined).map(async ({ name, url, headers: own }) => {
      const signal = AbortSignal.timeout(ANSWER_MAX)
      const ask = async ({ action, ...fields }: NodeAnswer) =>
        toObject(await askNode(new URL(url), textOf(action), fields, { own, signal }))
      const [asked] = await Promise.allSettled([askForLedger((request) => ask(request as NodeAnswer), ours)])
      const verdict = asked.status === 'fulfilled' ? compareLedger(ours, asked.value) : undefined
      return verdict?.kind === 'foreign' ? [`NODE_URLS: ${name} would not be used: ${verdict.reason}.`] : []
    }),
  )
  return found.flat()
}

/** Whether a server listens at this address. Messages contain host and port, but no credentials. */
async function tryAddress(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url)
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || PORTS[protocol]! }
  const socket = connect(at)
  socket.setTimeout(ANSWER_MAX, () => socket.destroy(Object.assign(new Error(), { code: 'no answer' })))
  try {
    await once(socket, 'connect')
    return undefined
  } catch (error) {
    return `nothing listens at ${at.host}:${at.port} (${codeOf(error)})`
  } finally {
    socket.destroy()
  }
}

/** Tries every server of the store in turn, until one can be used. */
async function tryStore(url: string): Promise<string | undefined> {
  if (url.startsWith('sqlite:')) return undefined
  const hosts = new PostgresHosts(url)
  const lost = terminalFailures.lost('store.connection')
  const reasons: string[] = []
  for (let at = 0; at < hosts.count; at++) {
    const client = new pg.Client({ connectionString: hosts.url, connectionTimeoutMillis: ANSWER_MAX })
    client.on('error', lost)
    try {
      await client.connect()
      const { rows } = await client.query<{ only: string }>(`select current_setting('transaction_read_only') as only`)
      if (rows[0]?.only !== 'on') return undefined
      reasons.push('the server takes no writes')
    } catch (error) {
      reasons.push(`the server does not let us in (${codeOf(error)})`)
    } finally {
      await client.end().catch(lost)
    }
    hosts.leave(hosts.url)
  }
  return [...new Set(reasons)].join('; ')
}

/** The code of a socket error, or the message of a server that refuses. Neither contains a credential. */
function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  return typeof code === 'string' && (code.startsWith('E') || !message) ? code : (message ?? 'unknown')
}
