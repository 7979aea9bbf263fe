import { OPERATOR } from '../kernel/actor.ts'
import { loadConfig } from '../config/config.ts'
import { formatNano } from '../kernel/money.ts'
import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { listWaiting, releasePayment } from '../modules/billing/index.ts'
import { exchangesOf, loadBuiltIn } from '../modules/names/index.ts'
import { type Flags, print, withStore } from './store.ts'

const LISTED_MAX = 200

/** Lists payments to the treasury about which the operator must decide. */
export function printWaiting({ json }: Flags): Promise<void> {
  return withStore(async ({ db }) => {
    const waiting = await listWaiting(db, LISTED_MAX)
    const shown = waiting.map(({ amountRaw, at, ...rest }) => ({
      ...rest,
      amount: formatNano(amountRaw),
      amountRaw: amountRaw.toString(),
      at: new Date(at).toISOString(),
    }))
    const lines = shown.map(
      ({ blockHash, amount, payer, reason, at }) => `${blockHash}  ${at}  ${amount} nano  ${reason}  ${payer}`,
    )
    print(json, shown, lines)
  })
}

/** Sends such a payment back to its sender, or to another address. */
export function refund(block: string, { json, to }: Flags & { to?: string }): Promise<void> {
  return withStore(async (ctx) => {
    const account = to === undefined ? undefined : fromAddress(to)
    if (to !== undefined && account === undefined) throw new Error('--to must be a Nano address.')
    const destination = account === undefined ? undefined : toAddress(account)
    const exchanges = exchangesOf(loadBuiltIn(loadConfig()))
    const { payer, amountRaw } = await releasePayment(ctx, {
      blockHash: block.toUpperCase(),
      destination,
      isExchange: (address) => exchanges.has(address),
      actor: OPERATOR,
    })
    const sent = { block: block.toUpperCase(), to: destination ?? payer, amount: formatNano(amountRaw) }
    print(json, sent, [`${sent.amount} nano go to ${sent.to}. A running gateway sends them within seconds.`])
  })
}
