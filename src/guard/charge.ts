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

/** The price of a metered call, and the free amount of each kind of caller. Without an allowance there is no limit. */
export interface Tariff {
  credits: number
  free: { anonymous: Allowance | undefined; account: Allowance | undefined }
  /** Whether an account with credits gets its free amount before it pays. */
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
 * Runs a metered call and charges for it (contract 8). Credits are reserved before the call, spent if it succeeds and
 * released if it fails; free amounts are counted in the same way. `run` gets the price, to report it in the answer.
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
    // A cancelled call is charged, because it has used the machine. Otherwise a caller could cancel calls for ever,
    // free of charge.
    if (error instanceof Cancelled) throw error
    await giveBackFree(store.db, use.taken).catch(store.failures.lost('credits.free'))
    throw error
  }
}

/** For calls that cost no credits. Calls of accounts with credits are not counted; all others use up a free amount. */
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

/** The call was paid by request, or comes from a program that uses a local gateway as its node. */
const isFree = (caller: Caller) =>
  caller.kind === 'anonymous' && (caller.paidBy !== undefined || caller.isLocal === true)

const payerOf = (account: string | undefined, ip: string) => (account === undefined ? `ip:${ip}` : `acc:${account}`)

/** The refusal of a caller without an account, who has used up the free amount and cannot pay for more. */
function overQuota(meter: Meter, { max, windowMilliseconds }: Allowance, retryAfterSeconds: number): AppError {
  const minutes = windowMilliseconds / 60_000
  const detail = `${max} ${meter === 'work' ? 'works' : 'sends'} in ${minutes} minutes are free for one address without a key. A key has more of them, and credits pay for the rest: rpc_key, buy_rpc.`
  const code = meter === 'work' ? 'work_quota' : 'too_many_requests'
  return new AppError(code, 'Too many requests.', { retryAfterSeconds, body: { detail } })
}

/** The account whose credits a caller may spend. Anybody can read a public key, so its holder counts as anonymous. */
const spenderOf = (caller: Caller) => (caller.kind === 'account' && caller.access === 'secret-key' ? caller : undefined)

export const accountOf = (caller: Caller): string | undefined => spenderOf(caller)?.accountId

/** Another request may have taken the last credits after the check; then the free amount is used. */
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
  // The client gets the finished work even if the store fails here; the reserved credits then return to the account.
  await commitCredits(store, { reservationId, reason: meter, actor }).catch(store.failures.failed('credits.spend'))
  return result
}

const MINUTE = 60_000
const MONTH = 30 * 24 * 60 * MINUTE

export function toPlans(config: Config): Plans {
  return {
    anonymous: { perMinute: config.limitAnonymousPerMinute, concurrencyMax: config.limitAnonymousConcurrency },
    publicKey: { perMinute: config.limitPublicKeyPerMinute, concurrencyMax: config.limitPublicKeyConcurrency },
    free: { perMinute: config.limitFreePerMinute, concurrencyMax: config.limitFreeConcurrency },
    prepaid: { perMinute: config.limitPrepaidPerMinute, concurrencyMax: config.limitPrepaidConcurrency },
  }
}

const BATCH_WIDTH_MAX = 10

/**
 * How many requests of a batch run at once: half of the caller's limit, so that the caller's other requests can run as
 * well.
 */
export function toBatchWidth(config: Config): number {
  const limits = Object.values(toPlans(config)).flatMap(({ concurrencyMax }) => concurrencyMax || [])
  return Math.max(1, Math.min(BATCH_WIDTH_MAX, ...limits.map((limit) => Math.floor(limit / 2))))
}

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
