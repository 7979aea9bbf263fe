import type { Action } from '../kernel/action.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { encodeHeader } from '../kernel/x402/wire.ts'
import {
  PaymentError,
  type PresentedPayment,
  type Seller,
  agreedTerms,
  challenge,
  paymentRequired,
  readPayment,
  redeem,
} from '../modules/x402/index.ts'
import type { RpcRequest, RpcTrace } from './rpc-request.ts'

type Traced = RpcRequest & { trace: RpcTrace }

/** A request for an action that has a price, with its payment. */
export interface Purchase {
  seller: Seller
  action: Action
  payment: PresentedPayment
}

/**
 * Reads the payment of a request for an action with a price (contract 4.7). Without a payment the answer is 402 with
 * the price, and the parameters are not read.
 */
export async function readPurchase(seller: Seller, action: Action, { headers, trace }: Traced): Promise<Purchase> {
  return explaining(seller, action, trace, async () => {
    const header = headers['payment-signature']
    if (header === undefined || header === '') throw paymentRequired()
    const payment = readPayment(String(header))
    trace.payment = { hash: payment.hash }
    return { seller, action, payment }
  })
}

/** Settles the payment, then runs the action. The same payment never pays for anything else. */
export function pay(
  { seller, action, payment }: Purchase,
  { trace, leaving }: Traced,
  { fingerprint, run }: { fingerprint: string; run(caller: Caller): Promise<string> },
): Promise<string> {
  return explaining(seller, action, trace, async () => {
    const { text, replayed } = await redeem(seller, {
      payment,
      action: action.name,
      fingerprint,
      agree: () => agreedTerms(seller, action.name, payment.payload.accepted),
      leaving,
      onSettled: (receipt) => {
        trace.payment = { ...trace.payment, response: encodeHeader(receipt) }
      },
      run: (payer) => run({ kind: 'anonymous', paidBy: payer }),
    })
    if (replayed) trace.replayed = true
    return text
  })
}

/** Adds the payment headers to a refusal, and the terms if the caller may still pay. */
async function explaining<T>(seller: Seller, action: Action, trace: RpcTrace, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error
    const { code, settlement } = error
    if (settlement) trace.payment = { ...trace.payment, response: encodeHeader(settlement) }
    if (!error.mayPay) throw error
    const reason = code === 'payment_required' ? 'PAYMENT-SIGNATURE header is required' : code
    const required = await challenge(seller, action.name, reason)
    trace.payment = { ...trace.payment, required: encodeHeader(required) }
    const { x402Version, accepts } = required
    throw new AppError(code, error.message, { body: { x402Version, accepts }, cause: error })
  }
}
