import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { Module } from '../../kernel/module.ts'
import type { Prices } from '../../kernel/ports.ts'
import { inSteps } from '../../kernel/retention.ts'
import type { Facilitator, OwnFacilitator } from '../../kernel/x402/wire.ts'
import type { Facilitation, Goods, Seller } from './domain/facilitation.ts'
import { x402Routes } from './routes.tsx'
import type { X402Settings } from './settings.ts'
import { deleteExpiredOffers, forgetPayments } from './store.ts'

interface X402Ports {
  store: StoreCtx
  own: OwnFacilitator
  /** Sends payments instead of our own node; our node still decides whether one is settled. */
  remote: Facilitator | undefined
  /** The work threshold of sends. */
  threshold: bigint
  /** Empty where nothing is for sale. */
  goods: Goods
  rates: Prices | undefined
  baseUrl(): string
  devnet: boolean
}

interface X402Module extends Module {
  /** Settles payments, also those of other services. */
  facilitation: Facilitation
  /** Undefined while no action has a price. */
  seller: Seller | undefined
}

/** Opens the x402 module: payment by request, without an account. */
export function openX402(
  { store, own, remote, threshold, goods, rates, baseUrl, devnet }: X402Ports,
  settings: Pick<X402Settings, 'x402PayTo' | 'x402Network' | 'x402TimeoutSeconds'>,
): X402Module {
  const { x402Network: network, x402TimeoutSeconds: timeoutSeconds, x402PayTo: payTo } = settings
  const facilitation: Facilitation = { store, own, remote, network, threshold, timeoutSeconds }
  const seller =
    payTo === undefined
      ? undefined
      : { ...facilitation, payTo, goods, rates, resourceUrl: (action: string) => `${baseUrl()}/actions/${action}` }
  const routes = x402Routes({ facilitation, seller, baseUrl, devnet })
  return { name: 'x402', facilitation, seller, routes, jobs: [forgetPaid(store)] }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Deletes answers after a day and finished payments after a month; the ledger itself rejects used blocks for ever. */
const forgetPaid = ({ db, clock }: StoreCtx): Job => ({
  kind: 'x402.forget',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    const until = { answersUntil: now - DAY, rowsUntil: now - 30 * DAY }
    await inSteps((limit) => forgetPayments(db, { ...until, limit }), signal)
    await inSteps((limit) => deleteExpiredOffers(db, now, limit), signal)
  },
})
