import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { systemClock } from '../infra/clock.ts'
import { type HandedOver, getJson, handOver } from '../infra/http/post-json.ts'
import { signBody } from '../modules/webhooks/index.ts'
import { type GatewayOptions, UsageError, isRefusal, orUsage, readGateway, readHttpUrl } from './gateway-access.ts'
import { show, showAnswer } from './show-answer.ts'

interface ListenOptions extends GatewayOptions {
  forward: string
  events?: string
  since?: string
  secret?: string
  json?: boolean
}

interface ListedEvent {
  id: string
  type: string
  payload: object | null
}

interface Page {
  events: ListedEvent[]
  cursor: string
  has_more: boolean
}

/** Thirty requests a minute: half of what even a caller without a key may send. */
const LOOK_EVERY = 2_000
const AWAY_EVERY = 5_000
const KIND_WIDTH = 26

/**
 * `nano-gateway webhook listen --forward URL`: forwards the events of an account to a receiver on the developer's
 * machine, which gateways cannot reach, signed like webhooks. Each event is sent once, in order. The gateway's own
 * deliveries are not affected.
 */
export function listenForWebhooks(options: ListenOptions, command: Command): Promise<void> {
  return orUsage('webhook listen', async () => {
    const { url, key } = readGateway(options, command)
    if (key === undefined) throw new UsageError('Events belong to an account: give its key with --key-file.')
    const forward = readHttpUrl('--forward', options.forward)
    const secret = options.secret ?? `whsec_${randomBytes(24).toString('base64')}`
    const kinds = readKinds(options.events)
    let since = options.since ?? String(Math.floor(systemClock.now() / 1_000))
    printStart(url, forward, secret, options)
    for (;;) {
      const page = await readPage(url, since, key)
      if (page) {
        for (const event of page.events) {
          if (event.payload === null || !fits(kinds, event.type)) continue
          const handed = await relay(event, forward, secret)
          console.log(options.json ? toJsonLine(event, handed) : toLine(event, handed))
        }
        since = page.cursor
        if (page.has_more) continue
      }
      await pause(page ? LOOK_EVERY : AWAY_EVERY)
    }
  })
}

function printStart(url: URL, forward: URL, secret: string, { secret: given }: ListenOptions): void {
  console.error(`Events of ${url.origin} go to ${forward.href}. Ctrl+C ends it.`)
  if (given === undefined) console.error(`They are signed with the secret ${secret}`)
}

/**
 * The next events; undefined while the gateway is unavailable. A refusal that a retry would not change ends the
 * command.
 */
async function readPage(url: URL, since: string, key: string): Promise<Page | undefined> {
  const address = new URL(`/api/events?limit=100&since=${encodeURIComponent(since)}`, url)
  let answer: unknown
  try {
    answer = await getJson(address, key)
  } catch (error) {
    console.error((error as Error).message)
    return undefined
  }
  if (!isRefusal(answer)) return answer as Page
  if (answer.retry_after === undefined) throw new UsageError(showAnswer(answer))
  console.error(showAnswer(answer))
  return undefined
}

function relay({ id, payload }: ListedEvent, forward: URL, secret: string): Promise<HandedOver> {
  const body = JSON.stringify(payload)
  const timestamp = Math.floor(systemClock.now() / 1_000)
  const signed = signBody({ id, timestamp, body, secrets: [secret] })
  return handOver(forward, { 'content-type': 'application/json', ...signed }, body)
}

const toLine = ({ id, type }: ListedEvent, { status, error, milliseconds }: HandedOver) => {
  const time = new Date(systemClock.now()).toISOString().slice(11, 19)
  const outcome = status === undefined ? `no answer: ${error}` : `${status}  ${milliseconds} ms`
  return show(`${time}  ${type.padEnd(KIND_WIDTH)}${id}  ${outcome}`)
}

const toJsonLine = ({ id, type, payload }: ListedEvent, { milliseconds, ...outcome }: HandedOver) =>
  JSON.stringify({ time: systemClock.now(), id, type, ...outcome, ms: milliseconds, payload })

function readKinds(text: string | undefined): string[] {
  const kinds = (text ?? '*').split(',').map((kind) => kind.trim())
  const wrong = kinds.find((kind) => !/^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/.test(kind))
  if (wrong !== undefined)
    throw new UsageError(`--events: ${show(wrong)} is not a kind of event. Examples: payment.completed, payment.*`)
  return kinds
}

const fits = (kinds: readonly string[], type: string) =>
  kinds.some((kind) => kind === '*' || kind === type || (kind.endsWith('.*') && type.startsWith(kind.slice(0, -1))))

const pause = (milliseconds: number) => new Promise<void>((resolve) => void systemClock.after(milliseconds, resolve))
