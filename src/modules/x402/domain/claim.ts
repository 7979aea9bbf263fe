import type { Leaving } from '../../../kernel/leaving.ts'
import { toBlockJson } from '../../../kernel/nano/block.ts'
import type { Clock } from '../../../kernel/ports.ts'
import {
  ASSET,
  type PaymentPayload,
  type PaymentTerms,
  type Reason,
  SCHEME,
  X402_VERSION,
} from '../../../kernel/x402/wire.ts'
import { PaymentError, paymentRefused, resultForgotten, settlementPending, usedForAnotherRequest } from '../errors.ts'
import {
  type Claim,
  type NewPayment,
  type StoredPayment,
  dropClaim,
  findPayment,
  findUnderWay,
  insertClaim,
  releaseAbandoned,
  renewClaim,
  takeOver,
} from '../store.ts'
import type { Facilitation } from './facilitation.ts'
import { type PresentedPayment, verify } from './payment.ts'

/** How often a request checks again while another request works on the same payment. */
const LOOK_EVERY = 100

/** A payment and the request for which it is presented. */
export interface Presentation {
  payment: PresentedPayment
  action: string
  fingerprint: string
  /** Finds the terms of the payment, or the reason why they are not ours. Called only for an unknown block. */
  agree(): Promise<PaymentTerms | Reason>
  /** Signals that the client has disconnected. */
  leaving: Leaving
}

/** A payment that this process has claimed. */
export interface HeldPayment {
  stored: StoredPayment
  claim: Claim
  /** Whether no process has tried to send it before. */
  fresh: boolean
}

/**
 * Claims a payment, or returns the stored answer. The first request that presents a block claims it before anything is sent, for that request
 * only. Another request that comes meanwhile waits.
 */
export async function claimPayment(
  facilitation: Facilitation,
  asked: Presentation,
): Promise<HeldPayment | { answer: string }> {
  const { network } = facilitation
  const { hash, payer } = asked.payment
  try {
    return await claimOrWait(facilitation, asked)
  } catch (error) {
    if (error instanceof PaymentError) throw error
    // The store is unreachable and may know this payment, so the client must not be asked to pay.
    throw Object.assign(settlementPending(network, hash, payer), { cause: error })
  }
}

async function claimOrWait(facilitation: Facilitation, asked: Presentation): Promise<HeldPayment | { answer: string }> {
  const { store, network, timeoutSeconds } = facilitation
  const { db, clock } = store
  const { hash, payer } = asked.payment
  const giveUpAt = clock.now() + timeoutSeconds * 1000
  for (;;) {
    const known = await findPayment(db, hash)
    if (known) {
      // Checked before the price: a payment stays valid even if the price has changed since.
      if (known.action !== asked.action || known.fingerprint !== asked.fingerprint) throw usedForAnotherRequest()
      if (known.state === 'served') {
        if (known.answer === null) throw resultForgotten()
        return { answer: known.answer }
      }
    }
    const held = known ? await takeUp(facilitation, known) : await claimNew(facilitation, asked)
    if (held) return held
    if (asked.leaving.left || clock.now() >= giveUpAt) throw settlementPending(network, hash, payer)
    await pause(clock)
  }
}

async function claimNew(facilitation: Facilitation, asked: Presentation): Promise<HeldPayment | undefined> {
  const { db, clock } = facilitation.store
  const { payment } = asked
  let terms: PaymentTerms
  try {
    const agreed = await asked.agree()
    if (typeof agreed === 'string') throw paymentRefused(agreed)
    terms = agreed
    await verify(facilitation, payment.payload, terms)
  } catch (error) {
    // Another request with the same payment may have been faster: then the ledger has the block because this gateway sent it for that request.
    if (await findPayment(db, payment.hash)) return undefined
    throw error
  }
  const stored = toNewPayment(asked, terms)
  const now = clock.now()
  const claim = await insertClaim(db, stored, { now, leaseUntil: now + LEASE_MILLISECONDS })
  if (claim) return { stored: { ...stored, state: 'claimed', ...START }, claim, fresh: true }
  await refuseFork(facilitation, payment)
  return undefined
}

const START = { fence: 1, leaseUntil: null, answer: null }

async function takeUp(facilitation: Facilitation, known: StoredPayment): Promise<HeldPayment | undefined> {
  const { db, clock } = facilitation.store
  const now = clock.now()
  if (known.leaseUntil !== null && known.leaseUntil > now) return undefined
  const claim = await takeOver(db, known, { now, leaseUntil: now + LEASE_MILLISECONDS })
  if (claim) return { stored: known, claim, fresh: false }
  if (known.state === 'rejected') await refuseFork(facilitation, known)
  return undefined
}

/**
 * Only one block of a frontier can be confirmed, so only one is tried at a time. A block on which no process works and that the ledger does not
 * have is given up for another; if it arrives after all, its hash is still known here.
 */
async function refuseFork(facilitation: Facilitation, mine: { hash: string; payer: string } & Frontier): Promise<void> {
  const { db, clock } = facilitation.store
  const previous = 'previous' in mine ? mine.previous : mine.block.previous
  const other = await findUnderWay(db, mine.payer, previous)
  if (!other || other.hash === mine.hash) return
  const now = clock.now()
  const idle = other.leaseUntil === null || other.leaseUntil <= now
  const seen = idle
    ? await facilitation.own.confirm(
        toPayload(facilitation, other),
        { ...toTerms(facilitation, other), maxTimeoutSeconds: 0 },
        false,
      )
    : 'held'
  if (seen !== undefined || !(await releaseAbandoned(db, other, now))) {
    throw paymentRefused('invalid_exact_nano_payload_frontier')
  }
}

type Frontier = { previous: string } | { block: { previous: string } }

function toNewPayment({ payment, action, fingerprint }: Presentation, terms: PaymentTerms): NewPayment {
  const { hash, payer, block } = payment
  const { network, amount, payTo } = terms
  const blockJson = JSON.stringify(toBlockJson(block))
  return { hash, blockJson, network, payer, previous: block.previous, amount, payTo, action, fingerprint }
}

/** Sends the block as it was claimed, not as it is presented later; only the name of the network may have changed. */
export function toPayload({ network }: Facilitation, stored: NewPayment): PaymentPayload {
  const { amount, payTo } = stored
  const accepted = { scheme: SCHEME, network, asset: ASSET, amount, payTo }
  return { x402Version: X402_VERSION, accepted, payload: { block: JSON.parse(stored.blockJson) } }
}

export function toTerms({ network, timeoutSeconds }: Facilitation, { amount, payTo }: NewPayment): PaymentTerms {
  return { scheme: SCHEME, network, amount, asset: ASSET, payTo, maxTimeoutSeconds: timeoutSeconds }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(LOOK_EVERY, resolve)
  })
}

/** Short, so that another process soon takes over after a crash; a running process renews its claim in time. */
const LEASE_MILLISECONDS = 15_000

/** Renews a claim until the returned function is called. */
export function keepClaim(
  { store: { db, clock, failures } }: Pick<Facilitation, 'store'>,
  claim: Claim,
): () => Promise<void> {
  const lost = failures.lost('x402.lease')
  let ended = false
  let cancelTimer: () => void
  const wait = () => {
    cancelTimer = clock.after(Math.floor(LEASE_MILLISECONDS / 3), () => void renew())
  }
  const renew = async () => {
    // After a short failure of the store, two more renewals can succeed before the claim expires.
    const held = await renewClaim(db, claim, clock.now() + LEASE_MILLISECONDS).catch(lost)
    if (held !== false && !ended) wait()
  }
  wait()
  return async () => {
    ended = true
    cancelTimer()
    await dropClaim(db, claim).catch(lost)
  }
}
