import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AskedLapse } from '../made.ts'
import type { Caller } from './caller.ts'
import { openCheckout, payCheckout } from './check-out.ts'

const SHORTEST = 5 * 60_000
const AGAIN_AFTER = 500

/** A checkout that ends within seconds: paid in time, at the last moment, too late, or never. */
export async function letExpire(caller: Caller): Promise<void> {
  const { random, made } = caller.options
  const checkout = await openCheckout(caller, { expire: '5 minutes' })
  if (!checkout) return
  const endsAt = await age(caller, checkout.id, SHORTEST - 3_000 - random.below(6_000))
  const lapse: AskedLapse = { ...checkout, endsAt, paidAt: undefined, wasOver: false }
  made.lapses.push(lapse)
  const pay = async () => {
    await payCheckout(caller, lapse)
    if (lapse.paidBy !== undefined) lapse.paidAt = Date.now()
  }
  const when = random.pick(['in time', 'at the end', 'late', 'never'])
  const leadMilliseconds = random.below(2_000)
  if (when === 'in time') await pay()
  else {
    caller.later({
      what: `checkout ${lapse.id} that is paid ${when}`,
      async step() {
        if (when === 'at the end') {
          if (Date.now() < endsAt - leadMilliseconds) return false
          await pay()
          return true
        }
        const check = await caller.options.client.get(`/check/${lapse.id}`)
        lapse.wasOver = check?.status === 200 && check.body.expired === true
        if (!lapse.wasOver) return false
        if (when === 'late') await pay()
        return true
      },
    })
  }
}

/** A checkout lives for at least five minutes, so this one is made older in the store. Returns when it ends. */
async function age({ options: { db, over } }: Caller, id: string, milliseconds: number): Promise<number> {
  for (;;) {
    try {
      return await db.transaction().execute(async (tx) => {
        const { address, expires_at: endsAt } = await tx
          .updateTable('checkouts')
          .set({
            created_at: sql<number>`created_at - ${milliseconds}`,
            expires_at: sql<number>`expires_at - ${milliseconds}`,
          })
          .where('id', '=', id)
          .returning(['address', 'expires_at'])
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('watched_addresses')
          .set({ next_scan_at: endsAt })
          .where('address', '=', address)
          .where('next_scan_at', '>', endsAt)
          .execute()
        return endsAt
      })
    } catch (error) {
      if (over.aborted) throw error
      await sleep(AGAIN_AFTER, undefined, { signal: over })
    }
  }
}
