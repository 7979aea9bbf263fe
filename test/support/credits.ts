import assert from 'node:assert/strict'
import type { Db } from '../../src/kernel/db.ts'

/** The invariant of credits: available = received - spent - reserved, never below zero. */
export async function assertCreditsBalance(db: Db): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const expected = new Map<string, number>()
      const add = (account: string, amount: number) => expected.set(account, (expected.get(account) ?? 0) + amount)
      for (const entry of await tx.selectFrom('credit_entries').selectAll().execute())
        add(entry.account_id, entry.amount)
      const reservations = await tx.selectFrom('credit_reservations').selectAll().where('status', '=', 'open').execute()
      for (const reservation of reservations) add(reservation.account_id, -reservation.amount)
      const balances = await tx.selectFrom('credit_balances').selectAll().execute()
      const found = new Map(balances.map(({ account_id: account, available }) => [account, available]))
      assert.deepEqual([...found].sort(), [...expected].sort())
      for (const available of found.values()) assert.ok(available >= 0)
    })
}
