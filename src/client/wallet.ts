import { RAW_MAX, type Raw, parseRaw } from '../kernel/money.ts'
import { type PublicKey, fromAddress } from '../kernel/nano/address.ts'
import { ZERO_HASH, hashBlock } from '../kernel/nano/block.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { deriveKey } from '../kernel/nano/keys.ts'
import type { AccountChain, Head } from './account-chain.ts'
import { AccountSigner, resolvePending } from './account-signer.ts'
import { raw, withJson } from './amounts.ts'
import { type Budget, toBudget } from './budget.ts'
import { type WalletOptions, openOwnChain } from './exact-nano.ts'
import { GatewayError } from './gateway-error.ts'

/** A private key of 64 hexadecimal digits, or an account of a seed. */
export type WalletKey = string | { privateKey: string } | { seed: string; index?: number | undefined }

export interface WalletSettings {
  /** The most that may be sent, in raw, or a budget shared with others. */
  budget?: Budget | bigint | undefined
}

export interface Sent {
  hash: string
  /** The recipient's address; for a name, the address that the gateway gave for it. */
  to: string
  /** In raw. */
  amount: bigint
  /** The balance afterwards, in raw. */
  balance: bigint
}

/** An account whose key never leaves this program: it signs blocks here, and gets their work from the gateway. */
export interface Wallet {
  readonly address: string
  readonly budget: Budget | undefined
  /** In raw. */
  balance(): Promise<{ balance: bigint; receivable: bigint }>
  /** Opens an account that has no block yet, by receiving, and sets its representative. */
  open(options?: { representative?: string | undefined }): Promise<Received>
  /** Receives up to a hundred receivable sends. */
  receive(): Promise<Received>
  /**
   * Sends to an address or `@name`: a bigint is raw, a text is nano (`'0.1'`). If the outcome is unknown, throws
   * `publish_unknown`, and the next call asks the ledger first.
   */
  send(to: string, amount: bigint | string): Promise<Sent>
  change(representative: string): Promise<{ hash: string }>
}

export function toPrivateKey(key: WalletKey): string {
  const privateKey =
    typeof key === 'string' ? key : 'seed' in key ? keyOfSeed(key.seed, key.index ?? 0) : key.privateKey
  if (!isHex(privateKey, 64)) throw new TypeError('A private key has 64 hexadecimal digits.')
  return privateKey
}

function keyOfSeed(seed: string, index: number): string {
  if (!isHex(seed, 64)) throw new TypeError('A seed has 64 hexadecimal digits.')
  if (!Number.isInteger(index) || index < 0 || index > 0xffff_ffff) throw new TypeError('An index is a whole number.')
  return deriveKey(seed, index)
}

function keyOf(address: string, field: string): string {
  const key = fromAddress(address)
  if (key === undefined) throw new GatewayError(`Not an address: ${address}`, { code: 'invalid_account', field })
  return key
}

export function openWallet(signer: AccountSigner, settings: WalletSettings = {}): Wallet {
  const { chain } = signer
  const budget = toBudget(settings.budget)
  return {
    address: chain.address,
    budget,
    async balance() {
      const { balance, receivable } = await chain.rpc('account_balance', { account: chain.address })
      return withJson({ balance: BigInt(String(balance)), receivable: BigInt(String(receivable)) })
    },
    open: ({ representative } = {}) => {
      const chosen = representative === undefined ? undefined : keyOf(representative, 'representative')
      return signer.inTurn(async () => {
        if (!(await signer.findHead())) return receiveWaiting(signer, chosen)
        throw new GatewayError(`${chain.address} is open already.`, { code: 'already_open' })
      })
    },
    receive: () => signer.inTurn(() => receiveWaiting(signer)),
    send: (to, amount) => signer.inTurn(() => send(signer, budget, to, amount)),
    change: (representative) =>
      signer.inTurn(async () => {
        const key = keyOf(representative, 'representative')
        const head = await signer.nextHead()
        const block = await chain.seal({ ...head, representative: key, link: ZERO_HASH }, 'change')
        return { hash: await signer.publish(block, 'change') }
      }),
  }
}

function toAmount(given: bigint | string): bigint {
  const amount = typeof given === 'string' ? raw(given) : given
  if (typeof amount === 'bigint' && amount > 0n && amount <= RAW_MAX) return amount
  const message = 'An amount is a bigint of raw or nano as text, and more than nothing.'
  throw new GatewayError(message, { code: 'invalid_amount', field: 'amount' })
}

/** The address of a recipient. The address behind a name comes from the gateway, and cannot be checked. */
async function toAddressOf({ rpc }: AccountChain, to: string): Promise<string> {
  if (!to.startsWith('@')) return to
  const { address } = await rpc('account_balance', { account: to })
  if (typeof address === 'string') return address
  throw new GatewayError(`The name ${to} does not exist.`, { code: 'invalid_account', field: 'to' })
}

async function send(
  signer: AccountSigner,
  budget: Budget | undefined,
  payee: string,
  given: bigint | string,
): Promise<Sent> {
  const amount = toAmount(given)
  const to = await toAddressOf(signer.chain, payee)
  const link = keyOf(to, 'to')
  const head = await signer.nextHead(amount)
  if (budget) await resolvePending(signer.chain, budget, head)
  budget?.require(amount, head.previous)
  const block = await signer.signSend(head, link, amount)
  const hash = hashBlock(block)
  const entry = budget?.enter({ what: 'send', description: undefined, to, amount, hash, block })
  try {
    await signer.publish(block, 'send')
    if (entry) entry.state = 'settled'
  } catch (error) {
    if (entry && error instanceof GatewayError && error.code === 'ledger_refused') entry.state = 'refused'
    throw error
  }
  return withJson({ hash, to, amount, balance: block.balance })
}

const RECEIVED_MAX = 100

export interface Received {
  /** The balance afterwards, in raw. */
  balance: bigint
  blocks: { hash: string; source: string; amount: bigint }[]
}

/**
 * Receives what was sent to an account so that it can pay; the first receive opens it. Returns the balance in raw. The
 * ledger itself refuses a receive with a wrong amount, so the gateway cannot lie about it.
 */
export async function receiveFunds(options: WalletOptions): Promise<bigint> {
  return (await receiveWaiting(new AccountSigner(openOwnChain(options)))).balance
}

/** Receives up to a hundred sends, one after another. */
async function receiveWaiting(signer: AccountSigner, representative?: PublicKey): Promise<Received> {
  const { chain } = signer
  const opened = await signer.findHead()
  let head: Head = opened ?? { previous: ZERO_HASH, balance: 0n as Raw, representative: representative ?? chain.key }
  const waiting = { account: chain.address, count: String(RECEIVED_MAX), threshold: '1' }
  const { blocks: listed } = await chain.rpc('receivable', waiting)
  const blocks: Received['blocks'] = []
  for (const [source, text] of Object.entries((listed ?? {}) as Record<string, unknown>)) {
    const amount = parseRaw(String(text))
    if (!isHex(source, 64) || amount === undefined) throw new Error('The ledger did not report what is receivable.')
    const subtype = head.previous === ZERO_HASH ? 'open' : 'receive'
    const block = await chain.seal({ ...head, balance: (head.balance + amount) as Raw, link: source }, subtype)
    const hash = await signer.publish(block, subtype)
    blocks.push(withJson({ hash, source, amount }))
    head = { ...head, previous: hash, balance: block.balance }
  }
  return withJson({ balance: head.balance, blocks })
}
