import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyVault } from '../../../kernel/key-vault.ts'
import { type Raw, parseRaw, toRaw } from '../../../kernel/money.ts'
import { toAddress } from '../../../kernel/nano/address.ts'
import { deriveKeyBytes, toSigningKey } from '../../../kernel/nano/keys.ts'
import { textOf, toObject } from '../../../kernel/shape.ts'
import { type Seed, findLastPlace, listKnown } from '../seeds-store.ts'
import { withSeed } from './seeds.ts'

/** Asks the ledger; the answer may be anything. */
export type AskLedger = (action: string, fields: object) => Promise<unknown>

/** An address of a seed that the ledger knows and the store does not. */
export interface FoundAhead {
  index: number
  address: string
  /** What it has, and what waits for it. */
  amount: Raw
}

interface Ahead {
  found: FoundAhead[]
  /** The highest place of which the ledger or the store has a trace; -1 without any. */
  last: number
}

const BATCH = 500

/**
 * Asks the ledger for the addresses of a seed around its counter and beyond, until `ahead` in a row have no trace. It begins before
 * the counter, because an earlier look may have asked a node that was behind.
 */
export async function lookAhead(
  ctx: Pick<StoreCtx, 'db'> & { vault: KeyVault },
  seed: Pick<Seed, 'id' | 'nextIndex'>,
  { ask, ahead, from = Math.max(0, seed.nextIndex - 2 * ahead) }: { ask: AskLedger; ahead: number; from?: number },
): Promise<Ahead> {
  const found: FoundAhead[] = []
  let last = await findLastPlace(ctx.db, seed.id)
  const end = () => Math.min(2 ** 32, Math.max(seed.nextIndex, last + 1) + ahead)
  for (let at = from; at < end(); at += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, end() - at) }, (_, offset) => at + offset)
    const addresses = await withSeed(ctx, seed.id, (bytes) => indexes.map((index) => addressAt(bytes, index)))
    const [traces, known] = [await askTraces(ask, addresses), await listKnown(ctx.db, addresses)]
    for (const [offset, index] of indexes.entries()) {
      const address = addresses[offset]!
      const amount = traces.get(address)
      if (amount === undefined) continue
      last = Math.max(last, index)
      if (!known.has(address)) found.push({ index, address, amount })
    }
  }
  return { found, last }
}

function addressAt(seed: Uint8Array, index: number): string {
  const key = deriveKeyBytes(seed, index)
  try {
    return toAddress(toSigningKey(key).publicKey)
  } finally {
    key.fill(0)
  }
}

/** The addresses with a block or a deposit, and what they have. */
async function askTraces(ask: AskLedger, accounts: string[]): Promise<Map<string, Raw>> {
  const [opened, amounts] = await Promise.all([
    askOne(ask, 'accounts_frontiers', { accounts }),
    askOne(ask, 'accounts_balances', { accounts, include_only_confirmed: 'false' }),
  ])
  const [frontiers, balances] = [toObject(opened.frontiers), toObject(amounts.balances)]
  const traces = new Map<string, Raw>()
  for (const account of accounts) {
    const { balance, receivable, pending } = toObject(balances[account])
    const [has, waits] = [balance, receivable ?? pending].map((amount) => parseRaw(textOf(amount)) ?? 0n)
    const amount = toRaw(has! + waits!)
    if (amount > 0n || frontiers[account] !== undefined) traces.set(account, amount)
  }
  return traces
}

async function askOne(ask: AskLedger, action: string, fields: object) {
  const answer = toObject(await ask(action, fields))
  // Some versions of the node say so when none of the accounts exists.
  if (answer.error !== undefined && answer.error !== 'Account not found') {
    throw new Error(`The ledger says: ${textOf(answer.error)}`)
  }
  return answer
}
