import { styleText } from 'node:util'
import { KNOWN_NANO, type KnownAccount } from '../devnet/accounts.ts'
import type { AnsweredCall, LedgerNode, NodeEvent } from '../devnet/index.ts'
import { formatNano } from '../kernel/money.ts'
import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { isHex } from '../kernel/nano/hex.ts'
import type { Clock } from '../kernel/ports.ts'
import { VERSION } from '../version.ts'
import { show } from './show-answer.ts'

export type LineStyle = 'pretty' | 'json'

interface LinesOptions {
  style: LineStyle
  colours: boolean
  clock: Clock
  write(line: string): void
}

type Stored = NodeEvent['stored']
type Colour = Parameters<typeof styleText>[0]

interface ReportedBlock {
  subtype: string
  hash: string
  account: string
  /** The receiver, the sender, or the new representative. */
  other: string | undefined
  amountRaw: bigint
  confirmed: boolean
}

const ACTION_WIDTH = 24
const ABOUT_WIDTH = 45
/** Shortened, because people compare only the first characters. */
const shortAddress = (address: string) => `${address.slice(0, 12)}…${address.slice(-6)}`
const shortHash = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-6)}`
/** Six decimals at most; JSON has all of them. */
const shortAmount = (raw: bigint) => formatNano(raw).replace(/(\.\d{6})\d+/, '$1…')
const ARROWS: Record<string, string> = { send: '→', receive: '←', open: '←', change: 'rep' }

/**
 * Prints one line for each call and block. Calls contain text of anonymous callers, so only names of actions, addresses
 * and hashes are printed: no caller can send control characters to this terminal.
 */
export class LedgerLines {
  readonly #options: LinesOptions
  /** Blocks that have arrived but are not printed yet. If a block is confirmed at once, it gets one line. */
  #arrived: ReportedBlock[] = []

  constructor(options: LinesOptions) {
    this.#options = options
  }

  call({ action, about, refused, lost, milliseconds }: AnsweredCall): void {
    const name = /^\w{1,40}$/.test(action) ? action : '(no action)'
    const named = about === undefined ? undefined : nameable(about)
    const outcome = lost ? 'answer lost by order' : refused === undefined ? 'ok' : show(refused)
    if (this.#options.style === 'json') {
      const ms = Number(milliseconds.toFixed(2))
      return this.#json({ event: 'call', action: name, ...(named !== undefined && { about: named }), outcome, ms })
    }
    const colour = lost ? 'yellow' : refused === undefined ? 'green' : 'red'
    const shown = named === undefined ? '' : isHex(named, 64) ? shortHash(named) : shortAddress(named)
    const took = this.#paint('dim', `${milliseconds.toFixed(1)} ms`)
    this.#line(`${name.padEnd(ACTION_WIDTH)}${shown.padEnd(ABOUT_WIDTH)}${this.#paint(colour, outcome)}  ${took}`)
  }

  /** Follows a ledger; returns how to stop. */
  follow(node: LedgerNode): () => void {
    return node.listen(({ kind, stored }) => {
      const known = this.#arrived.find(({ hash }) => hash === stored.hash)
      if (kind === 'arrived') this.#reportSoon(toReported(node, stored, false))
      else if (known) known.confirmed = true
      else this.#confirmed(toReported(node, stored, true))
    })
  }

  #reportSoon(block: ReportedBlock): void {
    if (this.#arrived.push(block) > 1) return
    queueMicrotask(() => {
      const blocks = this.#arrived
      this.#arrived = []
      for (const block of blocks) this.#block(block)
    })
  }

  #block(block: ReportedBlock): void {
    if (this.#options.style === 'json') return this.#json({ event: 'block', ...toMembers(block) })
    const { subtype, hash, account, other, amountRaw, confirmed } = block
    const does = `  ${subtype}${amountRaw === 0n ? '' : ` ${shortAmount(amountRaw)} nano`}`
    const between = other === undefined ? '' : ` ${ARROWS[subtype] ?? ''} ${shortAddress(other)}`
    const state = this.#paint(confirmed ? 'green' : 'yellow', confirmed ? 'confirmed' : 'unconfirmed')
    const who = `${shortAddress(account)}${between}`
    this.#line(
      `${this.#paint('bold', does.padEnd(ACTION_WIDTH - 1))} ${who.padEnd(ABOUT_WIDTH)}${shortHash(hash)}  ${state}`,
    )
  }

  #confirmed(block: ReportedBlock): void {
    if (this.#options.style === 'json') return this.#json({ event: 'confirmed', hash: block.hash })
    const does = `  ${block.subtype}`.padEnd(ACTION_WIDTH)
    this.#line(
      `${does}${shortAddress(block.account).padEnd(ABOUT_WIDTH)}${shortHash(block.hash)}  ${this.#paint('green', 'confirmed')}`,
    )
  }

  #json(members: object): void {
    this.#options.write(JSON.stringify({ time: this.#options.clock.now(), ...members }))
  }

  #line(text: string): void {
    const at = new Date(this.#options.clock.now())
    const two = (value: number) => String(value).padStart(2, '0')
    const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
    this.#options.write(`${this.#paint('dim', time)}  ${text}`)
  }

  #paint(colour: Colour, text: string): string {
    return this.#options.colours ? styleText(colour, text, { validateStream: false }) : text
  }
}

/** Text that may be printed: an address or a hash, in canonical form. */
function nameable(text: string): string | undefined {
  const key = fromAddress(text)
  if (key !== undefined) return toAddress(key)
  return isHex(text, 64) ? text.toUpperCase() : undefined
}

function toReported(node: LedgerNode, stored: Stored, confirmed: boolean): ReportedBlock {
  const { hash, account, amount: amountRaw, subtype = 'open', height } = stored
  return {
    subtype: subtype === 'receive' && height === 1 ? 'open' : subtype,
    hash,
    account: toAddress(account),
    other: otherOf(node, stored),
    amountRaw,
    confirmed,
  }
}

function otherOf(node: LedgerNode, { block, subtype }: Stored): string | undefined {
  if (block.type !== 'state') return undefined
  if (subtype === 'send') return toAddress(block.link)
  if (subtype === 'change') return toAddress(block.representative)
  const source = subtype === 'receive' ? node.ledger.store.placeOf(block.link)?.account : undefined
  return source === undefined ? undefined : toAddress(source)
}

const toMembers = ({ amountRaw, other, ...block }: ReportedBlock) => ({
  ...block,
  ...(other !== undefined && { other }),
  amount: formatNano(amountRaw),
  amount_raw: amountRaw.toString(),
})

interface LedgerBanner {
  rpc: string
  websocket: string
  explorer: string | undefined
  data: string
  genesis: string
  seed: string
  accounts: readonly KnownAccount[]
  control: boolean
}

export function toJsonBanner({ explorer, seed, accounts, control: _control, ...facts }: LedgerBanner): string {
  const known = accounts.length > 0 && { seed, accounts }
  return JSON.stringify({ ...facts, ...(explorer !== undefined && { explorer }), ...known })
}

/** The address of the ledger, its accounts with money, and what to do next. */
export function toBanner(banner: LedgerBanner): string {
  const { rpc, websocket, explorer, data, genesis } = banner
  return [
    `Nano development ledger, nano-gateway ${VERSION}`,
    '',
    `  RPC        ${rpc}`,
    `  Websocket  ${websocket}`,
    ...(explorer === undefined ? [] : [`  Explorer   ${explorer}`]),
    `  Data       ${data}${data === ':memory:' ? '   (gone when it ends)' : ''}`,
    `  Genesis    ${genesis}`,
    ...describeAccounts(banner),
    '',
    ...describeNext(banner),
    '',
  ].join('\n')
}

function describeAccounts({ accounts, seed }: LedgerBanner): string[] {
  if (accounts.length === 0) return []
  const place = (index: number) => `(${index})`.padEnd(5)
  return [
    '',
    `Accounts: each was opened with ${KNOWN_NANO} nano of play money`,
    '',
    ...accounts.map(({ index, address }) => `  ${place(index)}${address}`),
    '',
    'Private keys: everybody knows them, so never use them elsewhere',
    '',
    ...accounts.map(({ index, privateKey }) => `  ${place(index)}${privateKey}`),
    '',
    `  Seed ${seed}`,
  ]
}

function describeNext({ rpc, explorer, accounts, control }: LedgerBanner): string[] {
  const account = accounts[0]?.address ?? 'nano_…'
  const question = accounts.length === 0 ? { action: 'block_count' } : { action: 'account_balance', account }
  const at = rpc.endsWith(':7076') ? '' : ` --url ${rpc}`
  return [
    'What to do next',
    '',
    `  Ask it       curl -d '${JSON.stringify(question)}' ${rpc}`,
    ...(control
      ? [
          `  Give money   npx nano-gateway devnet fund ${account} 10${at}`,
          `  Put it back  npx nano-gateway devnet snapshot${at}, and later revert 1`,
        ]
      : []),
    ...(explorer === undefined ? ['  Look at it   start it with --ui'] : [`  Look at it   ${explorer}`]),
    '  More         npx nano-gateway devnet --help',
  ]
}
