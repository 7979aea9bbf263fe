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

/** How often a request that waits for another's work on the same payment looks again. */
const LOOK_EVERY = 100

/** A payment and what it is presented for. */
export interface Presentation {
  payment: PresentedPayment
  action: string
  fingerprint: string
  /** The terms it was made for, or why they are not ours. Asked for only when the block is not known yet. */
  agree(): Promise<PaymentTerms | Reason>
  /** Tells that the client has left. */
  leaving: Leaving
}

/** A payment that is ours to work on. */
export interface HeldPayment {
  stored: StoredPayment
  claim: Claim
  /** No process has tried to send it before. */
  fresh: boolean
}

/**
 * The right to work on a payment, or the answer it has led to. The first one to present a block claims it, before
 * anything is sent, for that request and no other; a request that comes while another works on it waits.
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
    // The store is away: it may know of this payment, so that no client may be told to pay.
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
      // Before any look at the price: what is paid is paid, whatever the price is now.
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
    // Another request with the same payment may have been faster: then the ledger has the block because of us.
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
 * Only one block of a frontier can be confirmed, so only one is tried at a time. One that no process works on and that the
 * ledger does not have makes room; should it arrive after all, it is still known here by its hash.
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

/** What is sent is what was claimed, not what is presented the next time; only the ledger's name may have changed. */
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

/** Short, so that a payment whose process died is soon taken over; a living one renews its claim in time. */
const LEASE_MILLISECONDS = 15_000

/** Keeps a claim alive until the returned function ends it. */
export function keepClaim(
  { store: { db, clock, failures } }: Pick<Facilitation, 'store'>,
  claim: Claim,
): () => Promise<void> {
  const lost = failures.lost('x402.lease')
  let ended = false
  let cancelTimer: () => void
  const wait = () => {
    cancelTimer = clock.after(LEASE_MILLISECONDS / 3, () => void renew())
  }
  const renew = async () => {
    // A store that fails for a moment gets two more chances before the claim lapses.
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
