import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { accountNotFound } from '../errors.ts'
import { type Feature, FEATURES } from '../standing.ts'
import { updateFeatures, updatePlan } from '../standing-store.ts'
import { findAccount, insertAudit, lockAccount } from '../store.ts'

/** What is to change; null is what the settings say, and what is left out stays. */
export interface NewStanding {
  perMinute?: number | null
  concurrencyMax?: number | null
  features?: Partial<Record<Feature, boolean | null>>
}

/** Gives one account limits and features of its own, or takes them back. */
export function setStanding(
  ctx: StoreCtx,
  { accountId, actor, wanted }: { accountId: string; actor: Actor; wanted: NewStanding },
): Promise<void> {
  return inTx(ctx, async (tx) => {
    await lockAccount(tx.db, accountId)
    const account = await findAccount(tx.db, accountId)
    if (!account) throw accountNotFound()
    const { plan, features } = account.standing
    const limits = { ...plan, ...pick(wanted, ['perMinute', 'concurrencyMax']) }
    const switched = { ...features, ...wanted.features }
    await updatePlan(tx.db, accountId, dropNulls(limits))
    await updateFeatures(tx.db, accountId, dropNulls(pick(switched, Object.keys(FEATURES) as Feature[])))
    const detail = { ...pick(wanted, ['perMinute', 'concurrencyMax']), ...wanted.features }
    await insertAudit(tx, { actor, accountId, what: 'account.changed', detail: told(detail) })
  })
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Partial<
    Pick<T, K>
  >
}

type Kept<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

function dropNulls<T extends object>(values: T): Kept<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Kept<T>
}

const told = (detail: object) =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, value ?? 'as set for all']))
