import { availableParallelism } from 'node:os'
import { systemClock } from './infra/clock.ts'
import { callNode } from './infra/node/call-node.ts'
import { systemRandom } from './infra/random.ts'
import { openCpuEngine } from './infra/work/cpu.ts'
import type { Raw } from './kernel/money.ts'
import { fromAddress, toAddress } from './kernel/nano/address.ts'
import { type StateBlock, fromBlockJson, hashBlock, toBlockJson } from './kernel/nano/block.ts'
import { isHex } from './kernel/nano/hex.ts'
import { publicKeyOf, signHash } from './kernel/nano/keys.ts'
import { WORK_THRESHOLDS, expectedHashes, formatWork, workValue } from './kernel/nano/work.ts'
import { readAmount } from './kernel/x402/payment-block.ts'
import { ASSET, SCHEME } from './kernel/x402/wire.ts'

/* What the package exports as `nano-gateway/x402`: payments in nano for the clients of the protocol's own packages. */

export interface ExactNanoOptions {
  /** 64 hexadecimal digits. It signs here and goes nowhere. */
  privateKey: string
  /** Where the ledger is asked: a gateway, a node. What it says of the balance is checked, not believed. */
  rpcUrl: string
  /** Finds proof of work; unset, this machine does. Work from a gateway would itself have to be paid for. */
  findWork?: (root: string, threshold: bigint) => Promise<string>
}

/** What a payment is asked for; the rest of a challenge does not concern the scheme. */
export interface ExactNanoRequirements {
  network: string
  amount: string
  asset: string
  payTo: string
}

export interface ExactNanoPayload {
  x402Version: number
  payload: { block: Record<string, string> }
}

/** A scheme for `new x402Client().register('nano:mainnet', exactNano({ … }))`. */
export interface ExactNanoScheme {
  readonly scheme: 'exact'
  /** The account that pays. */
  readonly address: string
  createPaymentPayload(x402Version: number, requirements: ExactNanoRequirements): Promise<ExactNanoPayload>
}

type Rpc = (action: string, parameters: object) => Promise<Record<string, unknown>>

/** Pays with one account, one payment after the other: each block needs the one before it. */
export function exactNano({ privateKey, rpcUrl, findWork = searchHere }: ExactNanoOptions): ExactNanoScheme {
  if (!isHex(privateKey, 64)) throw new TypeError('A private key has 64 hexadecimal digits.')
  const key = publicKeyOf(privateKey)
  const rpc: Rpc = (action, parameters) => callNode(rpcUrl, { action, ...parameters })
  let underWay: Promise<unknown> = Promise.resolve()
  let spent: string | undefined

  const sign = async ({ amount, asset, payTo }: ExactNanoRequirements): Promise<StateBlock> => {
    const link = fromAddress(payTo)
    const raw = readAmount(amount)
    if (link === undefined || raw === undefined || asset !== ASSET) throw new Error('These terms ask for no nano.')
    const head = await readHead(rpc, key, spent)
    if (head.balance < raw) throw new Error(`${toAddress(key)} has less than the price.`)
    const draft: StateBlock = {
      type: 'state',
      account: key,
      previous: head.hash,
      representative: head.representative,
      balance: (head.balance - raw) as Raw,
      link,
      signature: '',
      work: '',
    }
    const work = await findWork(head.hash, await readThreshold(rpc))
    spent = head.hash
    return { ...draft, signature: signHash(privateKey, hashBlock(draft)), work }
  }

  return {
    scheme: SCHEME,
    address: toAddress(key),
    async createPaymentPayload(x402Version, requirements) {
      const block = underWay.then(() => sign(requirements))
      underWay = block.catch(() => undefined)
      return { x402Version, payload: { block: toBlockJson(await block) } }
    },
  }
}

interface Head {
  hash: string
  balance: bigint
  representative: string
}

const LOOK_EVERY = 250
const LOOKS_MAX = 40

/**
 * The newest block of the account. While it is one we have already built upon, the payment before this one is still on
 * its way and is waited for, but not for ever: it may have been refused.
 */
async function readHead(rpc: Rpc, key: string, spent: string | undefined): Promise<Head> {
  for (let looks = 1; ; looks++) {
    const { frontier, error } = await rpc('account_info', { account: toAddress(key) })
    if (typeof frontier !== 'string') throw new Error(`${toAddress(key)} cannot pay: ${String(error)}`)
    if (frontier !== spent || looks === LOOKS_MAX) return readBlock(rpc, key, frontier)
    await new Promise<void>((resolve) => {
      systemClock.after(LOOK_EVERY, resolve)
    })
  }
}

/**
 * The balance is read from the block itself, whose hash is recomputed here. An account's balance can be told wrongly,
 * and whoever signs for less than there is gives the difference away.
 */
async function readBlock(rpc: Rpc, key: string, hash: string): Promise<Head> {
  const { contents } = await rpc('block_info', { hash, json_block: 'true' })
  const members = (contents ?? {}) as Record<string, string>
  const block = fromBlockJson((name) => (typeof members[name] === 'string' ? members[name] : undefined))
  if (block?.type !== 'state' || block.account !== key || hashBlock(block) !== hash) {
    throw new Error('The newest block of the account cannot be checked.')
  }
  return { hash, balance: block.balance, representative: block.representative }
}

/** Asked for, because test networks want less; never more than the live network wants. */
async function readThreshold(rpc: Rpc): Promise<bigint> {
  const { network_minimum: minimum } = await rpc('active_difficulty', {})
  const live = WORK_THRESHOLDS.live.send
  if (typeof minimum !== 'string' || !isHex(minimum, 16)) return live
  const asked = BigInt(`0x${minimum}`)
  return asked < live ? asked : live
}

/** Below this, starting threads takes longer than the search. */
const FEW_HASHES = 100_000

async function searchHere(root: string, threshold: bigint): Promise<string> {
  if (expectedHashes(threshold) <= FEW_HASHES) {
    for (let nonce = 0n; ; nonce++) {
      const work = formatWork(nonce)
      if (workValue(root, work) >= threshold) return work
    }
  }
  const engine = await openCpuEngine({ threads: Math.max(1, availableParallelism() - 1), random: systemRandom })
  try {
    const work = await engine.search({ root, threshold }, new AbortController().signal)
    if (work === undefined || workValue(root, work) < threshold) throw new Error('No work was found.')
    return work
  } finally {
    await engine.close()
  }
}
