import type { Db } from '../../src/kernel/db.ts'
import type { LedgerReader } from './ledger.ts'
import { type AskedCheckout, type AskedSend, type Made, isPaid } from './made.ts'
import { sumFromOwnWallets } from './check-refunds.ts'
import type { Money } from './money.ts'

const add = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n)

/** Compares the ledger with what happened; returns a sentence for each breach. */
export async function compareLedger(
  reader: LedgerReader,
  { money, db, made }: { money: Money; db: Db; made: Made },
): Promise<string[]> {
  const { got, due } = await readTakings(reader, { money, db, made })
  return [
    ...(got === due ? [] : [`merchants got ${got} raw and were paid ${due}`]),
    ...compareSends(await reader.listReceivable(money.friend.address), made.sends),
    ...(await comparePayments(reader, [...made.checkouts, ...made.lapses])),
    ...(await comparePayers(reader, money)),
    ...(await compareWallets(reader, db)),
    ...(await compareSum(reader, money, db)),
  ]
}

/** What the merchants have and should have: all payments, in time or late, less refunds made before the sweep. */
export async function readTakings(
  reader: LedgerReader,
  { money, db, made }: { money: Money; db: Db; made: Made },
): Promise<{ got: bigint; due: bigint }> {
  let got = 0n
  for (const { address } of money.merchants) got += add((await reader.listReceivable(address)).values())
  const paid = [...made.checkouts, ...made.lapses].filter(isPaid)
  const due = add(paid.map(({ amountRaw }) => amountRaw)) - (await sumFromOwnWallets(db, made))
  return { got, due }
}

/** Each requested send must have arrived once; one without an acknowledged hash may be missing. */
export function compareSends(arrived: ReadonlyMap<string, bigint>, sends: readonly AskedSend[]): string[] {
  const wrong: string[] = []
  const hashesOf = Map.groupBy(arrived.keys(), (hash) => arrived.get(hash)!)
  for (const { key, amountRaw, hash, mustNotLeave } of sends) {
    const found = hashesOf.get(amountRaw) ?? []
    if (mustNotLeave && found.length > 0) wrong.push(`send ${key} has left after its right was taken away`)
    if (found.length > 1) wrong.push(`send ${key} was made ${found.length} times`)
    if (hash !== undefined && !found.includes(hash)) wrong.push(`send ${key} was acknowledged as ${hash} and is lost`)
    hashesOf.delete(amountRaw)
  }
  for (const [amount, hashes] of hashesOf) wrong.push(`nobody asked for ${hashes.length} sends of ${amount} raw`)
  return wrong
}

/** Every payment must be a confirmed block of that amount to that address. */
export async function comparePayments(
  reader: LedgerReader,
  checkouts: readonly Pick<AskedCheckout, 'id' | 'address' | 'amountRaw' | 'paidBy'>[],
): Promise<string[]> {
  const blocks = await reader.findBlocks(checkouts.flatMap(({ paidBy }) => paidBy ?? []))
  return checkouts.flatMap(({ id, address, amountRaw, paidBy }) => {
    if (paidBy === undefined) return []
    const block = blocks.get(paidBy)
    if (!block) return [`the block that pays checkout ${id} is lost`]
    if (!block.confirmed) return [`the block that pays checkout ${id} is not confirmed`]
    const fits = block.amount === amountRaw && block.to === address
    return fits ? [] : [`the block that pays checkout ${id} has another amount or address`]
  })
}

async function comparePayers(reader: LedgerReader, { payers, buyers }: Money): Promise<string[]> {
  const wrong: string[] = []
  for (const { account, balance } of [...payers, ...buyers]) {
    const held = (await reader.readAccount(account.address)).balance
    if (held !== balance) wrong.push(`a payer has ${held} raw and should have ${balance}`)
  }
  return wrong
}

async function compareWallets(reader: LedgerReader, db: Db): Promise<string[]> {
  const wrong: string[] = []
  for (const wallet of await db.selectFrom('wallets').selectAll().execute()) {
    const { frontier, balance } = await reader.readAccount(wallet.address)
    if (wallet.frozen_at !== null) wrong.push(`wallet ${wallet.id} was frozen: ${wallet.frozen_reason}`)
    if (frontier !== wallet.frontier) wrong.push(`wallet ${wallet.id} lost its place`)
    if (balance !== BigInt(wallet.balance_raw)) wrong.push(`wallet ${wallet.id} counts otherwise`)
  }
  return wrong
}

/** The sum of all balances must equal what was handed out. */
async function compareSum(reader: LedgerReader, { purse, handedOut }: Money, db: Db): Promise<string[]> {
  const wallets = await db.selectFrom('wallets').select('address').execute()
  let held = 0n
  for (const { address } of [...purse.accounts, ...wallets]) held += await reader.readWealth(address)
  return held === handedOut ? [] : [`of ${handedOut} raw that were handed out ${held} are there`]
}
