/*
 * Simulates the gateway's environment in its own process, so that its time is not counted: either the node (`ledger`) or a shop's webhook receiver
 * (`receiver`). Started by `startStandIn` and controlled by messages.
 */
import { hash as digest } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { useFastestCurve } from '../../src/infra/sodium-curve.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { publicKeyOf, signHash } from '../../src/kernel/nano/keys.ts'
import { GENESIS_HASHES } from '../../src/kernel/nano/network.ts'
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
/** A block with a successor never changes, so it may be cached for good. */
const SETTLED = JSON.stringify({ confirmed: 'true', subtype: 'receive', amount: '1', successor: '1'.repeat(64) })
/** Payments are real signed blocks. Each has a predecessor, which gives the balance before it. */
const PAYER_KEY = 'D'.repeat(64)
const STRANGERS = Array.from({ length: 1_000 }, (_, at) => addressOf(`stranger ${at}`))

/** Answers about the blocks made so far. */
const described = new Map<string, object>()
let told = 0

interface Question {
  action?: string
  hashes?: string[]
}

const BLOCKS = 200_000_000
const NO_WORK = '0'.repeat(16)
const DIFFICULTY = JSON.stringify({ network_minimum: NO_WORK, network_receive_minimum: NO_WORK })
const VERSION = JSON.stringify({ network: 'dev', network_identifier: GENESIS_HASHES.dev })

function answer(text: string): string {
  const { action, hashes = [] } = JSON.parse(text) as Question
  if (action === 'account_balance') return BALANCE
  if (action === 'block_info') return SETTLED
  if (action === 'version') return VERSION
  if (action === 'active_difficulty') return DIFFICULTY
  if (action === 'block_count')
    return JSON.stringify({ count: `${BLOCKS + told}`, unchecked: '0', cemented: `${BLOCKS + told}` })
  if (action === 'account_info') return '{"error":"Account not found"}'
  if (action === 'receivable' || action === 'accounts_receivable') return '{"blocks":{}}'
  if (action === 'accounts_frontiers') return '{"frontiers":{}}'
  if (action === 'account_history') return '{"history":[]}'
  if (action === 'blocks_info') return JSON.stringify({ blocks: Object.fromEntries(hashes.flatMap(describe)) })
  return BALANCE
}

const describe = (hash: string): [string, object][] => {
  const told = described.get(hash)
  return told ? [[hash, told]] : []
}

/** A payment and its predecessor. */
function toBlocks(at: number, { to, amountRaw }: Payment): { before: StateBlock; paid: StateBlock } {
  const account = publicKeyOf(PAYER_KEY)
  const common = { type: 'state' as const, account, representative: account, signature: '0'.repeat(128), work: NO_WORK }
  const balance = toRaw(BigInt(amountRaw) + 1n)
  const before = { ...common, previous: digestOf(`previous ${at}`), balance, link: digestOf(`source ${at}`) }
  const draft = { ...common, previous: hashBlock(before), balance: toRaw(1n), link: fromAddress(to)! }
  return { before, paid: { ...draft, signature: signHash(PAYER_KEY, hashBlock(draft)) } }
}

const digestOf = (text: string) => digest('sha256', text, 'hex').toUpperCase()

/** A confirmation, as a node reports it, of a send between two unrelated accounts. */
function toFrame(at: number): { hash: string; frame: string } {
  const account = STRANGERS[at % STRANGERS.length]!
  const link = STRANGERS[(at + 1) % STRANGERS.length]!
  const block = {
    type: 'state',
    account,
    previous: digestOf(`previous ${at}`),
    representative: account,
    balance: '1000000000000000000000000000000',
    link: fromAddress(link)!,
    link_as_account: link,
    signature: '0'.repeat(128),
    work: NO_WORK,
  }
  const hash = digestOf(`block ${at}`)
  return { hash, frame: frameOf(hash, '1', block) }
}

function frameOf(hash: string, amount: string, block: Record<string, string>): string {
  const message = {
    account: block.account,
    amount,
    hash,
    confirmation_type: 'active_quorum',
    block: { ...block, subtype: 'send' },
  }
  return JSON.stringify({ topic: 'confirmation', time: String(Date.now()), message })
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  useFastestCurve()
  await stand(process.argv[2])
}

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
  // On all loopback addresses, so that one receiver can be many hosts.
  server.listen(0, as === 'ledger' ? '127.0.0.1' : '0.0.0.0', () => {
    const [http, socket] = [server.address() as AddressInfo, sockets.address() as AddressInfo]
    say({ ready: true, port: http.port, socketPort: socket.port })
  })
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => {
    const obey =
      order.tell === 'strangers' ? reportStrangers(order, broadcast) : reportPayments(order.payments, broadcast)
    void obey.then((count) => say({ told: count }))
  })
}

async function reportStrangers(
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

function reportPayments(some: readonly Payment[], broadcast: (frame: string) => void): Promise<number> {
  const frames = some.map((payment) => {
    const { before, paid } = toBlocks(told++, payment)
    const hash = hashBlock(paid)
    const seen = { local_timestamp: String(Math.floor(Date.now() / 1_000)), confirmed: 'true', receivable: '1' }
    const { amountRaw: amount } = payment
    const sender = { block_account: toAddress(paid.account), amount, subtype: 'send' }
    described.set(hash, { ...sender, ...seen, contents: toBlockJson(paid) })
    described.set(paid.previous, { ...seen, contents: toBlockJson(before) })
    return frameOf(hash, amount, toBlockJson(paid))
  })
  for (const frame of frames) broadcast(frame)
  return Promise.resolve(some.length)
}
