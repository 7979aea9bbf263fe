/*
 * What stands around a gateway whose cost is measured, in a process of its own so that none of it is counted: the node it
 * asks and hears (`ledger`), or a shop's server that takes webhooks (`receiver`). Run by `startStandIn`, told by messages.
 */
import { hash as digest } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { GENESIS_HASHES } from '../../src/kernel/nano/networks.ts'
import { addressOf } from '../../test/support/many-checkouts.ts'

export interface Payment {
  to: string
  amountRaw: string
}

export type Order =
  | { tell: 'strangers'; count: number; eachMillisecond: number }
  | { tell: 'payments'; payments: Payment[] }
export type Word = { ready: true; port: number; socketPort: number } | { told: number } | { hearers: number }

const BALANCE = JSON.stringify({
  balance: '325586539664609129644855132177',
  pending: '2309372032769300000000000000000000',
  receivable: '2309372032769300000000000000000000',
})
/** A block with a successor: what is said of it never changes, so that it may be remembered for good. */
const SETTLED = JSON.stringify({ confirmed: 'true', subtype: 'receive', amount: '1', successor: '1'.repeat(64) })
const SENDER = addressOf('payer')
const STRANGERS = Array.from({ length: 1_000 }, (_, at) => addressOf(`stranger ${at}`))

const payments = new Map<string, Payment>()
let told = 0

interface Question {
  action?: string
  hashes?: string[]
}

const BLOCKS = 200_000_000
const VERSION = JSON.stringify({ network: 'dev', network_identifier: GENESIS_HASHES.dev })

function answer(text: string): string {
  const { action, hashes = [] } = JSON.parse(text) as Question
  if (action === 'account_balance') return BALANCE
  if (action === 'block_info') return SETTLED
  if (action === 'version') return VERSION
  if (action === 'block_count')
    return JSON.stringify({ count: `${BLOCKS + told}`, unchecked: '0', cemented: `${BLOCKS + told}` })
  if (action === 'account_info') return '{"error":"Account not found"}'
  if (action === 'receivable' || action === 'accounts_receivable') return '{"blocks":{}}'
  if (action === 'accounts_frontiers') return '{"frontiers":{}}'
  if (action === 'account_history') return '{"history":[]}'
  if (action === 'blocks_info') return JSON.stringify({ blocks: Object.fromEntries(hashes.flatMap(describe)) })
  return BALANCE
}

function describe(hash: string): [string, object][] {
  const payment = payments.get(hash)
  if (!payment) return []
  const seen = { local_timestamp: String(Math.floor(Date.now() / 1_000)), confirmed: 'true', receivable: '1' }
  const contents = { type: 'state', link: fromAddress(payment.to)! }
  return [[hash, { block_account: SENDER, amount: payment.amountRaw, subtype: 'send', ...seen, contents }]]
}

/** A confirmation as a node tells it, of a send between strangers or to somebody. */
export function toFrame(at: number, { to, amountRaw = '1' }: Partial<Payment> = {}): { hash: string; frame: string } {
  const account = to === undefined ? STRANGERS[at % STRANGERS.length]! : SENDER
  const link = to ?? STRANGERS[(at + 1) % STRANGERS.length]!
  const hash = digest('sha256', `block ${at}`, 'hex').toUpperCase()
  const block = {
    type: 'state',
    account,
    previous: digest('sha256', `previous ${at}`, 'hex').toUpperCase(),
    representative: account,
    balance: '1000000000000000000000000000000',
    link: fromAddress(link)!,
    link_as_account: link,
    signature: '0'.repeat(128),
    work: '0'.repeat(16),
    subtype: 'send',
  }
  const message = { account, amount: amountRaw, hash, confirmation_type: 'active_quorum', block }
  return { hash, frame: JSON.stringify({ topic: 'confirmation', time: String(Date.now()), message }) }
}

if (process.send !== undefined && process.argv[2] !== undefined) await stand(process.argv[2])

async function stand(as: string): Promise<void> {
  const say = (word: Word) => process.send!(word)
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  sockets.on('connection', (socket: WebSocket) => {
    socket.on('message', (data: Buffer) => {
      const { action } = JSON.parse(data.toString()) as { action: string }
      socket.send(JSON.stringify({ ack: action === 'ping' ? 'pong' : action, time: '0' }))
      if (action === 'subscribe') say({ hearers: sockets.clients.size })
    })
    socket.on('error', () => socket.terminate())
  })
  const broadcast = (frame: string) => {
    for (const client of sockets.clients) client.send(frame)
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = as === 'ledger' ? answer(Buffer.concat(parts).toString()) : 'taken'
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    })
  })
  // On every loopback address, so that one receiver is as many hosts as we like.
  server.listen(0, as === 'ledger' ? '127.0.0.1' : '0.0.0.0', () => {
    const [http, socket] = [server.address() as AddressInfo, sockets.address() as AddressInfo]
    say({ ready: true, port: http.port, socketPort: socket.port })
  })
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => {
    const obey = order.tell === 'strangers' ? tellStrangers(order, broadcast) : tellPayments(order.payments, broadcast)
    void obey.then((count) => say({ told: count }))
  })
}

async function tellStrangers(
  { count, eachMillisecond }: { count: number; eachMillisecond: number },
  broadcast: (frame: string) => void,
): Promise<number> {
  const started = performance.now()
  for (let done = 0; done < count;) {
    const due = Math.min(count, Math.ceil((performance.now() - started) * eachMillisecond))
    for (; done < due; done++) broadcast(toFrame(told++).frame)
    await delay(1)
  }
  return count
}

function tellPayments(some: readonly Payment[], broadcast: (frame: string) => void): Promise<number> {
  const frames = some.map((payment) => {
    const { hash, frame } = toFrame(told++, payment)
    payments.set(hash, payment)
    return frame
  })
  for (const frame of frames) broadcast(frame)
  return Promise.resolve(some.length)
}
