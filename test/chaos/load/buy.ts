import { type StateBlock, hashBlock, toBlockJson } from '../../../src/kernel/nano/block.ts'
import { type PaymentRequired, decodeHeader, encodeHeader } from '../../../src/kernel/x402/wire.ts'
import type { Answer, Outcome } from '../client.ts'
import type { AskedPurchase } from '../made.ts'
import type { Caller } from './caller.ts'

/** An operator's possible offer: one answer that never changes, and one that changes whenever the ledger grows. */
export const SOLD = { X402_ACTIONS: 'work_generate,block_count', X402_PRICE: '0.00001 nano' }

/** An agent without a key buys one request, and presents its payment until the outcome is known. */
export async function buy(caller: Caller): Promise<void> {
  const { random, buyer, made, over } = caller.options
  if (buyer.isBusy) return
  const body = writeRequest(caller)
  const terms = await readTerms(caller, body)
  if (!terms) return
  const amountRaw = BigInt(terms.amount)
  if (buyer.balance < amountRaw) {
    made.unaffordable++
    return
  }
  const block = await buyer.sign(terms.payTo, amountRaw, over)
  const hash = hashBlock(block)
  const payload = { x402Version: 2, accepted: terms, payload: { block: toBlockJson(block) } }
  const purchase: AskedPurchase = { body, hash, signature: encodeHeader(payload), amountRaw, answer: undefined }
  made.purchases.push(purchase)
  buyer.isBusy = true
  const isTwice = random.below(4) === 0
  caller.later({ what: `the request that ${hash} pays for`, step: () => present(caller, { purchase, block, isTwice }) })
}

function writeRequest(caller: Caller): string {
  const { random } = caller.options
  if (random.below(2) === 0) return JSON.stringify({ action: 'work_generate', hash: random.hex(64) })
  // The body is unique, so a response cached for others cannot be what was bought.
  return JSON.stringify({ action: 'block_count', note: random.hex(16) })
}

async function readTerms(caller: Caller, body: string): Promise<PaymentRequired | undefined> {
  const answer = await caller.options.client.postAsAnybody('/', body)
  if (answer?.status === 200) caller.complain('given to somebody who has not paid', answer)
  const header = answer?.status === 402 ? answer.headers.get('payment-required') : undefined
  return header ? (decodeHeader(header) as PaymentRequired | undefined) : undefined
}

interface Presented {
  purchase: AskedPurchase
  block: StateBlock
  /** Presents it to two gateways at once. */
  isTwice: boolean
}

/** Presents it once or to two gateways at once; true once the agent has its answer. */
async function present(caller: Caller, { purchase, block, isTwice }: Presented): Promise<boolean> {
  const { random, buyer } = caller.options
  const tries = isTwice ? [0, 1] : [0]
  const answers = await Promise.all(tries.map(() => pay(caller, purchase, purchase.body)))
  for (const answer of answers) if (answer) hear(caller, purchase, answer)
  if (purchase.answer === undefined) return false
  buyer.advance(block)
  buyer.isBusy = false
  if (random.below(2) === 0) {
    const again = await pay(caller, purchase, purchase.body)
    if (again) hear(caller, purchase, again)
  }
  if (random.below(3) === 0) {
    const other = await pay(caller, purchase, writeRequest(caller))
    const isRefused = other === undefined || other.status >= 500 || other.body.code === 'duplicate_settlement'
    if (!isRefused) caller.complain(`${purchase.hash} has paid for a second request`, other)
  }
  return true
}

const pay = (caller: Caller, { signature }: AskedPurchase, body: string): Promise<Outcome> =>
  caller.options.client.postAsAnybody('/', body, { 'payment-signature': signature })

function hear(caller: Caller, purchase: AskedPurchase, answer: Answer): void {
  const { status, text, headers } = answer
  if (status >= 500 || status === 429) return
  if (status !== 200) {
    caller.complain(`the payment ${purchase.hash} was refused`, answer)
    return
  }
  const receipt = decodeHeader(headers.get('payment-response') ?? '')
  if (receipt?.success !== true || receipt.transaction !== purchase.hash) caller.complain('no receipt', answer)
  if (purchase.answer !== undefined && purchase.answer !== text) {
    caller.complain(`${purchase.hash} was answered otherwise before: ${purchase.answer.slice(0, 200)}`, answer)
  }
  purchase.answer = text
}
