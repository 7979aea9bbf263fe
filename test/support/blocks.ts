import type { LedgerNode } from '../../src/devnet/index.ts'
import { RAW_PER_NANO, type Raw, toRaw } from '../../src/kernel/money.ts'
import { type PublicKey, fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, hashBlock, rootOf } from '../../src/kernel/nano/block.ts'
import { deriveKey, publicKeyOf, signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { WORK_THRESHOLDS, type WorkThresholds, formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { until } from './until.ts'

const SEED = 'D'.repeat(64)

export const nano = (amount: number) => toRaw(BigInt(amount) * RAW_PER_NANO)

/** For ledgers whose test is not about work: any work is accepted. */
export const NO_WORK: WorkThresholds = { epoch1: 0n, send: 0n, receive: 0n }

/** The state on which the next block of an account builds. */
export interface Frontier {
  previous: string
  balance: bigint
  representative: PublicKey
}

export const UNOPENED: Frontier = { previous: ZERO_HASH, balance: 0n, representative: DEV_NETWORK.genesisAccount }

/** The account's current state on the ledger. */
export function frontierOf(node: LedgerNode, account: PublicKey): Frontier {
  const record = node.ledger.store.findAccount(account)
  return record ? { previous: record.head, balance: record.balance, representative: record.representative } : UNOPENED
}

/** The account's state after this block. */
export function frontierAfter(block: StateBlock): Frontier {
  return { previous: hashBlock(block), balance: block.balance, representative: block.representative }
}

/** Signs blocks for one account. The same index is the same account in every run. */
export class Signer {
  readonly privateKey: string
  readonly key: PublicKey
  readonly address: string
  readonly #thresholds: WorkThresholds

  constructor(index: number, thresholds: WorkThresholds = NO_WORK) {
    this.privateKey = deriveKey(SEED, index)
    this.key = publicKeyOf(this.privateKey)
    this.address = toAddress(this.key)
    this.#thresholds = thresholds
  }

  send(from: Frontier, to: PublicKey, amount: bigint): StateBlock {
    return this.#finish({ ...from, balance: from.balance - amount, link: to }, this.#thresholds.send)
  }

  receive(from: Frontier, sendHash: string, amount: bigint): StateBlock {
    return this.#finish({ ...from, balance: from.balance + amount, link: sendHash }, this.#thresholds.receive)
  }

  change(from: Frontier, representative: PublicKey): StateBlock {
    return this.#finish({ ...from, representative, link: ZERO_HASH }, this.#thresholds.send)
  }

  #finish({ previous, balance, representative, link }: Frontier & { link: string }, threshold: bigint): StateBlock {
    const draft: StateBlock = {
      type: 'state',
      account: this.key,
      previous,
      representative,
      balance: balance as Raw,
      link,
      signature: '',
      work: '',
    }
    const signature = signHash(this.privateKey, hashBlock(draft))
    return { ...draft, signature, work: findWork(rootOf(draft), threshold) }
  }
}

export function findWork(root: string, threshold: bigint = WORK_THRESHOLDS.dev.send): string {
  for (let nonce = 0n; ; nonce++) {
    const work = formatWork(nonce)
    if (threshold === 0n || workValue(root, work) >= threshold) return work
  }
}

/** Waits until the ledger has confirmed a block, unless it holds confirmations. */
const confirmed = async (node: LedgerNode, hash: string) => {
  await until(() => {
    const stored = node.ledger.store.findBlock(hash)
    return node.holds || !stored || node.ledger.isConfirmed(stored)
  })
  // It is reported once it is on the disk.
  await node.durable
}

/** Waits until all its blocks are confirmed. */
export const allConfirmed = (node: LedgerNode) => until(() => node.holds || node.ledger.listUnconfirmed().length === 0)

/** Publishes a block and waits for its confirmation; a refusal fails the test. */
export async function publish(node: LedgerNode, block: StateBlock): Promise<string> {
  const result = await node.process(block)
  if ('refused' in result) throw new Error(`The ledger refused a block: ${result.refused}`)
  await confirmed(node, result.hash)
  return result.hash
}

/** Publishes a block and confirms it at once with its dependencies, to prepare the ledger for a test. */
export async function lay(node: LedgerNode, block: StateBlock): Promise<string> {
  const result = await node.process(block)
  if ('refused' in result) throw new Error(`The ledger refused a block: ${result.refused}`)
  await node.confirm(result.hash)
  return result.hash
}

/** Sends from the genesis account and waits for the confirmation. */
export async function give(node: LedgerNode, account: PublicKey, amount: Raw): Promise<string> {
  const hash = await node.fund(account, amount)
  await confirmed(node, hash)
  return hash
}

/** An address's balance plus everything receivable. */
export function fundsOf({ ledger }: LedgerNode, address: string): bigint {
  const account = fromAddress(address)!
  return (ledger.store.findAccount(account)?.balance ?? 0n) + ledger.receivableSum(account, false)
}

/** Gives an account its first amount, sent by the genesis account and received; both are confirmed unless the ledger holds confirmations. */
export async function openAccount(node: LedgerNode, signer: Signer, amount: Raw): Promise<string> {
  const hash = await node.fund(signer.key, amount)
  const received = signer.receive(UNOPENED, hash, amount)
  return node.holds ? publish(node, received) : lay(node, received)
}
