import { notAgreed, readAgreedAnswer } from '../../../kernel/agreed-read.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type Raw, parseRaw, toRaw } from '../../../kernel/money.ts'
import { type PublicKey, fromAddress } from '../../../kernel/nano/address.ts'
import { ZERO_HASH } from '../../../kernel/nano/block.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { NodeAnswer, NodePort } from '../../../kernel/ports.ts'
import { toObject, textOf } from '../../../kernel/shape.ts'
import type { Deposit } from '../outbox-store.ts'

/** The state of an account on the ledger. Frontier and balance come from one answer, so they belong together. */
export interface Chain {
  frontier: string
  balance: Raw
  /** Undefined before the first block. */
  representative: PublicKey | undefined
}

const UNOPENED: Chain = { frontier: ZERO_HASH, balance: toRaw(0n), representative: undefined }

/** Needs the same answer from the required number of nodes, because the account's next block is signed on it. */
export async function readChain(node: NodePort, account: string): Promise<Chain> {
  const asked = { account, representative: true }
  return toChain(await orNone(readAgreedAnswer(node, 'account_info', asked, toFact)))
}

const toFact = ({ error, frontier, balance, representative }: NodeAnswer) =>
  [error, textOf(frontier).toUpperCase(), balance, representative].map(textOf).join(' ')

function toChain(answer: NodeAnswer | undefined): Chain {
  if (!answer) return UNOPENED
  const frontier = textOf(answer.frontier)
  const balance = parseRaw(textOf(answer.balance))
  const representative = fromAddress(textOf(answer.representative))
  // Money depends on this, so an incomplete answer is refused.
  if (!isHex(frontier, 64) || balance === undefined || representative === undefined) {
    throw new Error('A node answered account_info without frontier, balance or representative.')
  }
  return { frontier: frontier.toUpperCase(), balance, representative }
}

/** The account's last block according to one node, or zeros. Only a hint for callers that go on to ask all nodes. */
export async function readHead(node: NodePort, account: string): Promise<string> {
  return toChain(await orNone(node.read('account_info', { account, representative: true }))).frontier
}

/** Confirmed sends that an account can receive, largest first. */
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

/** Whether an account holds money or has sends to receive, confirmed or not. A "no" needs the agreement of several nodes. */
export async function holdsFunds(node: NodePort, account: string): Promise<boolean> {
  const asked = { account, include_only_confirmed: false }
  const agreed = await node.readAgreed('account_balance', asked, (answer) => [isEmpty(answer) ? 'empty' : 'funded'])
  if (agreed.facts.size === 0) throw notAgreed(agreed)
  return agreed.facts.has('funded')
}

const isEmpty = ({ error, balance, receivable }: NodeAnswer) =>
  error === undefined
    ? [balance, receivable].every((amount) => amount === undefined || amount === '0')
    : ABSENT.has(textOf(error))

interface LedgerBlock {
  confirmed: boolean
  account: string
  amount: string
  balance: string
  subtype: string
  /** The block that follows; undefined when there is none. */
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

/** The block that the ledger has directly after `previous`. */
export async function findSuccessor(node: NodePort, account: string, previous: string): Promise<string | undefined> {
  if (previous !== ZERO_HASH) return (await findLedgerBlock(node, previous))?.successor
  const answer = await readOrNone(node, 'account_info', { account })
  return answer && textOf(answer.open_block)
}

const ABSENT = new Set(['Account not found', 'Block not found'])

/** "Not found" is an answer; every other refusal is a failure. */
async function orNone(asked: Promise<NodeAnswer>): Promise<NodeAnswer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof LedgerRefusal && ABSENT.has(error.message)) return undefined
    throw error
  }
}

const readOrNone = (node: NodePort, action: string, params: Record<string, unknown>) =>
  orNone(node.read(action, params))
