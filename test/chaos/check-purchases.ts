import type { AskedPurchase, Made } from './made.ts'
import type { ChaosWorld } from './world.ts'

const PAID = new Set(['settled', 'action_failed', 'served'])

/** Each x402 payment must be on the ledger once, and each of them must have its answer. */
export async function checkPurchases({ store: { db }, reader, money }: ChaosWorld, made: Made): Promise<string[]> {
  const rows = await db.selectFrom('x402_payments').select(['block_hash', 'state', 'answer']).execute()
  const arrived = await reader.listReceivable(money.seller.address)
  return [...comparePurchases(arrived, made.purchases), ...compareRows(arrived, rows)]
}

/** Compares what agents paid and got with the ledger. */
export function comparePurchases(
  arrived: ReadonlyMap<string, bigint>,
  purchases: readonly Pick<AskedPurchase, 'hash' | 'amountRaw' | 'answer'>[],
): string[] {
  const wrong: string[] = []
  const left = new Map(arrived)
  for (const { hash, amountRaw, answer } of purchases) {
    const paid = left.get(hash)
    left.delete(hash)
    if (answer !== undefined && paid !== amountRaw) wrong.push(`a request was answered that ${hash} has not paid`)
    if (answer === undefined && paid !== undefined) wrong.push(`${hash} has paid for a request that nobody answered`)
  }
  for (const [hash, amount] of left) wrong.push(`the seller got ${amount} raw by ${hash}, which no agent has signed`)
  return wrong
}

interface Row {
  block_hash: string
  state: string
  answer: string | null
}

function compareRows(arrived: ReadonlyMap<string, bigint>, rows: readonly Row[]): string[] {
  const wrong: string[] = []
  for (const { block_hash: hash, state, answer } of rows) {
    if (PAID.has(state) !== arrived.has(hash)) wrong.push(`payment ${hash} is ${state}, and the ledger says otherwise`)
    if (state === 'served' && answer === null) wrong.push(`the answer that ${hash} paid for was not kept`)
  }
  const paid = rows.filter(({ state }) => PAID.has(state)).length
  return paid === arrived.size ? wrong : [...wrong, `${paid} payments are settled, and the seller got ${arrived.size}`]
}

/** Each gateway must repeat the paid answer without another payment. */
export async function replayEach({ instances }: ChaosWorld, { purchases }: Made): Promise<string[]> {
  const wrong: string[] = []
  for (const { body, signature, answer, hash } of purchases) {
    for (const { name, url } of instances) {
      const headers = { 'content-type': 'application/json', 'payment-signature': signature }
      const response = await fetch(`${url}/`, { method: 'POST', headers, body })
      const text = await response.text()
      if (response.status !== 200 || text !== answer) {
        wrong.push(
          `${name} answers ${response.status} ${text.slice(0, 200)} to ${hash}, which has paid for ${answer?.slice(0, 200)}`,
        )
      }
    }
  }
  return wrong
}
