import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type Raw, parseRaw, toRaw } from '../../../kernel/money.ts'
import { type PublicKey, fromAddress } from '../../../kernel/nano/address.ts'
import { ZERO_HASH } from '../../../kernel/nano/block.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { NodeAnswer, NodePort } from '../../../kernel/ports.ts'
import { toObject, textOf } from '../../../kernel/shape.ts'
import type { Deposit } from '../outbox-store.ts'

/** Where an account stands on the ledger. Frontier and balance are from one answer and belong together. */
export interface Chain {
  frontier: string
  balance: Raw
  /** None before the first block. */
  representative: PublicKey | undefined
}

const UNOPENED: Chain = { frontier: ZERO_HASH, balance: toRaw(0n), representative: undefined }

export async function readChain(node: NodePort, account: string): Promise<Chain> {
  const answer = await readOrNone(node, 'account_info', { account, representative: true })
  if (!answer) return UNOPENED
  const frontier = textOf(answer.frontier)
  const balance = parseRaw(textOf(answer.balance))
  const representative = fromAddress(textOf(answer.representative))
  // Money is decided from this: an answer that is not whole is none.
  if (!isHex(frontier, 64) || balance === undefined || representative === undefined) {
    throw new Error('A node answered account_info without frontier, balance or representative.')
  }
  return { frontier: frontier.toUpperCase(), balance, representative }
}

/** Confirmed sends that wait for an account, largest first. */
export async function readDeposits(
  node: NodePort,
  account: string,
  { count, threshold }: { count: number; threshold: bigint },
): Promise<Deposit[]> {
  const least = threshold > 0n ? threshold : 1n
  const answer = await readOrNone(node, 'receivable', {
    account,
    count,
    threshold: least.toString(),
    source: true,
    sorting: true,
    include_only_confirmed: true,
  })
  const deposits = Object.entries(toObject(answer?.blocks)).map(([hash, given]) => {
    const { amount, source } = toObject(given)
    return { hash: hash.toUpperCase(), source: textOf(source), amount: parseRaw(textOf(amount)) }
  })
  return deposits.filter((deposit): deposit is Deposit => deposit.amount !== undefined && deposit.amount >= least)
}

/** Whether anything lies on an account or is on its way to it, confirmed or not. */
export async function holdsFunds(node: NodePort, account: string): Promise<boolean> {
  const answer = await readOrNone(node, 'account_balance', { account, include_only_confirmed: false })
  return [answer?.balance, answer?.receivable].some((amount) => amount !== undefined && amount !== '0')
}

/** A block as the ledger has it. */
interface LedgerBlock {
  confirmed: boolean
  account: string
  amount: string
  balance: string
  subtype: string
  /** Undefined when there is none. */
  successor: string | undefined
  previous: string
  link: string
}

export async function findLedgerBlock(node: NodePort, hash: string): Promise<LedgerBlock | undefined> {
  const answer = await readOrNone(node, 'block_info', { hash, json_block: true })
  if (!answer) return undefined
  const contents = toObject(answer.contents)
  const successor = textOf(answer.successor)
  return {
    confirmed: answer.confirmed === 'true',
    account: textOf(answer.block_account),
    amount: textOf(answer.amount),
    balance: textOf(answer.balance),
    subtype: textOf(answer.subtype),
    successor: successor === ZERO_HASH || !isHex(successor, 64) ? undefined : successor,
    previous: textOf(contents.previous),
    link: textOf(contents.link).toUpperCase(),
  }
}

/** What the ledger has instead of a block that should follow `previous`. */
export async function findSuccessor(node: NodePort, account: string, previous: string): Promise<string | undefined> {
  if (previous !== ZERO_HASH) return (await findLedgerBlock(node, previous))?.successor
  const answer = await readOrNone(node, 'account_info', { account })
  return answer && textOf(answer.open_block)
}

const ABSENT = new Set(['Account not found', 'Block not found'])

/** That something is not there is an answer; every other refusal is a failure. */
async function readOrNone(
  node: NodePort,
  action: string,
  params: Record<string, unknown>,
): Promise<NodeAnswer | undefined> {
  try {
    return await node.read(action, params)
  } catch (error) {
    if (error instanceof LedgerRefusal && ABSENT.has(error.message)) return undefined
    throw error
  }
}
