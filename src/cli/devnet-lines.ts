import { styleText } from 'node:util'
import type { AnsweredCall, LedgerNode, NodeEvent } from '../devnet/index.ts'
import { formatNano } from '../kernel/money.ts'
import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { isHex } from '../kernel/nano/hex.ts'
import type { Clock } from '../kernel/ports.ts'
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

/** What a block does, for people and programs. */
interface ToldBlock {
  subtype: string
  hash: string
  account: string
  /** Who gets it, who sent it, or who represents from now on. */
  other: string | undefined
  amountRaw: bigint
  confirmed: boolean
}

const ACTION_WIDTH = 24
const ABOUT_WIDTH = 45
/** More of an address or a hash on a line is not read. */
const shortAddress = (address: string) => `${address.slice(0, 12)}…${address.slice(-6)}`
const shortHash = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-6)}`
/** As many decimals as there is room for; JSON has them all. */
const shortAmount = (raw: bigint) => formatNano(raw).replace(/(\.\d{6})\d+/, '$1…')
const ARROWS: Record<string, string> = { send: '→', receive: '←', open: '←', change: 'rep' }

/**
 * A line for every call and every block, as they come. Calls carry texts of anonymous callers: what is not the name of an action, address or
 * hash is never written out, so that no caller writes to this terminal.
 */
export class LedgerLines {
  readonly #options: LinesOptions
  /** Blocks of this moment: one that is confirmed at once is printed once. */
  #arrived: ToldBlock[] = []

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

  /** Follows a ledger until it is called off. */
  follow(node: LedgerNode): () => void {
    return node.listen(({ kind, stored }) => {
      const known = this.#arrived.find(({ hash }) => hash === stored.hash)
      if (kind === 'arrived') this.#tellSoon(toTold(node, stored, false))
      else if (known) known.confirmed = true
      else this.#confirmed(toTold(node, stored, true))
    })
  }

  #tellSoon(block: ToldBlock): void {
    if (this.#arrived.push(block) > 1) return
    queueMicrotask(() => {
      const blocks = this.#arrived
      this.#arrived = []
      for (const block of blocks) this.#block(block)
    })
  }

  #block(block: ToldBlock): void {
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

  #confirmed(block: ToldBlock): void {
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

/** An address or a hash as we would write it, or nothing. */
function nameable(text: string): string | undefined {
  const key = fromAddress(text)
  if (key !== undefined) return toAddress(key)
  return isHex(text, 64) ? text.toUpperCase() : undefined
}

function toTold(node: LedgerNode, stored: Stored, confirmed: boolean): ToldBlock {
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

const toMembers = ({ amountRaw, other, ...block }: ToldBlock) => ({
  ...block,
  ...(other !== undefined && { other }),
  amount: formatNano(amountRaw),
  amount_raw: amountRaw.toString(),
})
