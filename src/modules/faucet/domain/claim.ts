import { answer } from '../../../kernel/answers.ts'
import { AppError, overLimit } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { nano, raw, view } from '../../../kernel/view.ts'
import { takeFree } from '../../accounts/index.ts'
import { findPayment, lockFunds, queuePayment, treasury, untilPaid } from '../../wallets/index.ts'
import type { FaucetContext } from '../context.ts'
import { type FaucetClaim, findClaimByKey, findLatestClaim, insertClaim } from '../store.ts'
import { type Claimant, type Cooldown, DAY, METER, cooldownsOf, findRefusal } from './eligibility.ts'

interface ClaimRequest extends Claimant {
  accountId: string
  idempotencyKey: string | undefined
}

interface PaidClaim {
  claim: FaucetClaim
  hash: string
}

/**
 * Gives a little nano, once a day for each account and address. Limits, claim and payment are one transaction: concurrent claims never exceed
 * the budget or the treasury, and every recorded claim is paid.
 */
export async function claimFaucet(ctx: FaucetContext, request: ClaimRequest): Promise<PaidClaim> {
  const { store, faucet } = ctx
  const { accountId, address, idempotencyKey } = request
  const known = idempotencyKey === undefined ? undefined : await findClaimByKey(store.db, accountId, idempotencyKey)
  if (known) return finish(ctx, sameClaim(known, address))
  if (faucet.amount === 0n) throw faucetClosed()
  const refusal = await findRefusal(ctx, address)
  if (refusal !== undefined) throw notForFaucet(refusal)
  const { id: walletId } = await treasury(ctx)
  const claim: FaucetClaim = {
    id: store.ids.next('fct'),
    accountId,
    address,
    amount: faucet.amount,
    idempotencyKey: idempotencyKey ?? null,
    createdAt: store.clock.now(),
  }
  const refused = await inTx(store, async ({ db }) => {
    for (const cooldown of cooldownsOf(faucet, request)) {
      const freeAt = await take(db, cooldown, claim.createdAt)
      if (freeAt !== undefined) throw new Refused(cooldown, freeAt)
    }
    const funds = await lockFunds(db, walletId)
    if (!funds || funds.free < claim.amount) throw faucetEmpty()
    await insertClaim(db, claim)
    await queuePayment(
      { db, store },
      { walletId, destination: address, amount: claim.amount, reference: toReference(claim), purpose: 'faucet' },
    )
  }).catch((error: unknown) => {
    // Thrown inside the transaction, so that limits counted before are rolled back.
    if (error instanceof Refused) return error
    throw error
  })
  if (refused) throw await explain(ctx, request, refused)
  return finish(ctx, claim)
}

class Refused extends Error {
  readonly cooldown: Cooldown
  readonly freeAt: number

  constructor(cooldown: Cooldown, freeAt: number) {
    super(cooldown.reason)
    this.cooldown = cooldown
    this.freeAt = freeAt
  }
}

const toReference = ({ id }: FaucetClaim) => `faucet:${id}`

/** Counts one claim against a limit; returns undefined, or the time of the next free claim when none is left. */
async function take(
  db: FaucetContext['store']['db'],
  { caller, max }: Cooldown,
  now: number,
): Promise<number | undefined> {
  if (max <= 0) return now + DAY
  const use = await takeFree(db, { caller, meter: METER, now }, { max, windowMilliseconds: DAY })
  return 'taken' in use ? undefined : use.freeAt
}

/** A client that lost the reply to its claim finds that claim in the next refusal. */
async function explain({ store }: FaucetContext, { accountId, address }: ClaimRequest, { cooldown, freeAt }: Refused) {
  const { db, clock } = store
  const seconds = Math.max(1, Math.ceil((freeAt - clock.now()) / 1000))
  const latest = await findLatestClaim(db, accountId, address)
  const isRecent = latest !== undefined && latest.createdAt > clock.now() - DAY
  if (!isRecent) return overLimit(cooldown.reason, seconds)
  const hash = (await findPayment(db, toReference(latest)))?.hash
  return overLimit(cooldown.reason, seconds, { claim: claimShown.show(latest, hash ?? null) })
}

function sameClaim(known: FaucetClaim, address: string): FaucetClaim {
  if (known.address === address) return known
  throw new AppError('idempotency_conflict', 'This Idempotency-Key was used with another request.')
}

async function finish(ctx: FaucetContext, claim: FaucetClaim): Promise<PaidClaim> {
  try {
    const { hash } = await untilPaid(ctx, toReference(claim))
    return { claim, hash: hash! }
  } catch (error) {
    if (error instanceof AppError) throw claimUnderWay(claim.id)
    throw error
  }
}

/** A claim as in the contract; without a hash it is recorded but not sent yet. */
export const claimShown = view<FaucetClaim, string | null>()({
  id: answer.text,
  nano_address: [answer.address, ({ address }) => address],
  amount: nano('amount'),
  amount_raw: raw('amount'),
  status: [answer.words('sent'), (_claim, hash) => (hash === null ? 'queued' : 'sent')],
  tx_hash: [answer.hash, (_claim, hash) => hash],
  created_at: answer.integer,
})

const faucetClosed = () => new AppError('feature_disabled', 'The faucet is closed.')

const faucetEmpty = () =>
  new AppError('insufficient_funds', 'The faucet is empty at the moment. Nothing was claimed; try again later.')

/** Refused because of the address itself, so waiting does not help. */
const notForFaucet = (reason: string) => new AppError('limit_reached', reason, { body: { field: 'nano_address' } })

/** The claim is recorded and will be paid; claiming again would only be refused. */
const claimUnderWay = (id: string) =>
  new AppError('wallet_busy', 'Your claim is queued and will be paid automatically. Do not claim again.', {
    retryAfterSeconds: 10,
    body: { claim: { id, status: 'queued' } },
  })
