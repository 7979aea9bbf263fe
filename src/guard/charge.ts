import type { Config } from '../config/config.ts'
import type { Actor } from '../kernel/actor.ts'
import type { Caller, Meter } from '../kernel/ctx.ts'
import { AppError, Cancelled } from '../kernel/errors.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import {
  type Allowance,
  commitCredits,
  giveBackFree,
  hasCredits,
  insufficientCredits,
  releaseCredits,
  reserveCredits,
  takeFree,
} from '../modules/accounts/index.ts'
import type { Plans } from './throttle.ts'

/** The price of a metered thing, and how much of it is free for whom; without an allowance there is no limit. */
export interface Tariff {
  credits: number
  free: { anonymous: Allowance | undefined; account: Allowance | undefined }
  /** Whether an account with credits uses up its free amount before it pays. */
  freeFirst: boolean
}

export type Tariffs = Readonly<Record<Meter, Tariff>>

interface Charge {
  store: StoreCtx
  caller: Caller
  ip: string
  tariffs: Tariffs
}

/**
 * Runs something metered and charges for it (contract 8). Credits are reserved before, spent on success, and given back on failure;
 * the free amount is counted the same way. `run` is given the price, so that its answer can report it.
 */
export async function charged<T>(
  { store, caller, ip, tariffs }: Charge,
  meter: Meter,
  run: (credits: number) => Promise<T>,
): Promise<T> {
  if (isFree(caller)) return run(0)
  const { credits, free, freeFirst } = tariffs[meter]
  const spender = spenderOf(caller)
  const account = spender?.accountId
  if (spender && !freeFirst && (await hasCredits(store, spender.accountId))) {
    const reservation = await reserveCredits(store, spender.accountId, credits).catch(ifInsufficient)
    if (reservation) return spend(store, reservation.id, { credits, meter, actor: spender.actor }, run)
  }
  const allowance = free[account === undefined ? 'anonymous' : 'account']
  if (!allowance) return run(0)
  const now = store.clock.now()
  const use = await takeFree(store.db, { caller: payerOf(account, ip), meter, now }, allowance)
  if ('freeAt' in use) {
    if (spender) {
      const { id } = await reserveCredits(store, spender.accountId, credits)
      return spend(store, id, { credits, meter, actor: spender.actor }, run)
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((use.freeAt - now) / 1000))
    throw overQuota(meter, allowance, retryAfterSeconds)
  }
  try {
    return await run(0)
  } catch (error) {
    // A cancelled request has used the machine all the same; if it were free, a caller could cancel for ever.
    if (error instanceof Cancelled) throw error
    await giveBackFree(store.db, use.taken).catch(store.failures.lost('credits.free'))
    throw error
  }
}

/** For what costs no credits: calls of accounts with credits are not counted, all others use up a free amount. */
export async function counted(
  { store, caller, ip, tariffs }: Charge,
  meter: Meter,
  run: () => Promise<void>,
): Promise<void> {
  if (isFree(caller)) return run()
  const account = accountOf(caller)
  if (account !== undefined && (await hasCredits(store, account))) return run()
  const allowance = tariffs[meter].free[account === undefined ? 'anonymous' : 'account']
  if (!allowance) return run()
  const use = await takeFree(store.db, { caller: payerOf(account, ip), meter, now: store.clock.now() }, allowance)
  if (!('freeAt' in use)) return run()
  if (account !== undefined) throw insufficientCredits()
  throw overQuota(meter, allowance, Math.max(1, Math.ceil((use.freeAt - store.clock.now()) / 1000)))
}

/** Paid by request, so no credits are taken; or a program that takes a local gateway for its node. */
const isFree = (caller: Caller) =>
  caller.kind === 'anonymous' && (caller.paidBy !== undefined || caller.isLocal === true)

const payerOf = (account: string | undefined, ip: string) => (account === undefined ? `ip:${ip}` : `acc:${account}`)

/** The free amount is used up, and a caller without an account cannot pay for more. */
function overQuota(meter: Meter, { max, windowMilliseconds }: Allowance, retryAfterSeconds: number): AppError {
  const minutes = windowMilliseconds / 60_000
  const detail = `${max} ${meter === 'work' ? 'works' : 'sends'} in ${minutes} minutes are free for one address without a key. A key has more of them, and credits pay for the rest: rpc_key, buy_rpc.`
  const code = meter === 'work' ? 'work_quota' : 'too_many_requests'
  return new AppError(code, 'Too many requests.', { retryAfterSeconds, body: { detail } })
}

/** Whose credits a caller may spend. Anyone can read a public key, so its holder counts as anonymous. */
const spenderOf = (caller: Caller) => (caller.kind === 'account' && caller.access === 'secret-key' ? caller : undefined)

export const accountOf = (caller: Caller): string | undefined => spenderOf(caller)?.accountId

/** Another request may have taken the last credits since the check; the free amount is still available then. */
function ifInsufficient(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'insufficient_credits') throw error
}

async function spend<T>(
  store: StoreCtx,
  reservationId: string,
  { credits, meter, actor }: { credits: number; meter: Meter; actor: Actor },
  run: (credits: number) => Promise<T>,
): Promise<T> {
  let result: T
  try {
    result = await run(credits)
  } catch (error) {
    await releaseCredits(store, reservationId).catch(store.failures.lost('credits.release'))
    throw error
  }
  // The work is done and the client gets it, even if the store fails now and the reserved credits return to the account.
  await commitCredits(store, { reservationId, reason: meter, actor }).catch(store.failures.failed('credits.spend'))
  return result
}

const MINUTE = 60_000
const MONTH = 30 * 24 * 60 * MINUTE

/** The limits of each kind of caller. */
export function toPlans(config: Config): Plans {
  return {
    anonymous: { perMinute: config.limitAnonymousPerMinute, concurrencyMax: config.limitAnonymousConcurrency },
    publicKey: { perMinute: config.limitPublicKeyPerMinute, concurrencyMax: config.limitPublicKeyConcurrency },
    free: { perMinute: config.limitFreePerMinute, concurrencyMax: config.limitFreeConcurrency },
    prepaid: { perMinute: config.limitPrepaidPerMinute, concurrencyMax: config.limitPrepaidConcurrency },
  }
}

const BATCH_WIDTH_MAX = 10

/** How many requests of a batch run at once: half of its caller's limit, which leaves the rest for other requests of that caller. */
export function toBatchWidth(config: Config): number {
  const limits = Object.values(toPlans(config)).flatMap(({ concurrencyMax }) => concurrencyMax || [])
  return Math.max(1, Math.min(BATCH_WIDTH_MAX, ...limits.map((limit) => Math.floor(limit / 2))))
}

/** The prices of metered things, and how much of them is free. */
export function toTariffs(config: Config): Tariffs {
  const allowance = (max: number, windowMilliseconds: number) => (max === 0 ? undefined : { max, windowMilliseconds })
  return {
    work: {
      credits: 1,
      free: {
        anonymous: allowance(config.freeWorkAnonymousPerHour, 60 * MINUTE),
        account: allowance(config.freeWorkPerHalfHour, 30 * MINUTE),
      },
      freeFirst: false,
    },
    wallet_send: {
      credits: 1,
      free: { anonymous: undefined, account: allowance(config.freeSendsPerMonth, MONTH) },
      freeFirst: true,
    },
  }
}
