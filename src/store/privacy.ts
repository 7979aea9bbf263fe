import { type Actor } from '../kernel/actor.ts'
import { type StoreCtx } from '../kernel/in-tx.ts'
import { AppError } from '../kernel/errors.ts'
import { findAccount, insertAudit } from '../modules/accounts/index.ts'
import { eraseAccount } from './erase-account.ts'
import { type ExportedRow, exportAccount } from './export-account.ts'

/** Rows that an export over HTTP has at most; the command line has no bound. */
const ROWS_MAX = 10_000

/** What an operator does with the data of an account, written down in its activity. */
export function openPrivacy(ctx: StoreCtx) {
  return {
    async gather({ accountId, actor }: { accountId: string; actor: Actor }) {
      const account = await findAccount(ctx.db, accountId)
      if (!account) throw new AppError('not_found', 'Account not found.')
      await insertAudit(ctx, { actor, accountId, what: 'account.exported', detail: {} })
      const tables: Record<string, ExportedRow['row'][]> = {}
      let count = 0
      for await (const { table, row } of exportAccount(ctx.db, { accountId, email: account.email?.toLowerCase() })) {
        if (count++ >= ROWS_MAX) return { tables, complete: false }
        const rows = (tables[table] ??= [])
        rows.push(row)
      }
      return { tables, complete: true }
    },
    erase: (who: { accountId: string; actor: Actor; onClosed(): void }) =>
      eraseAccount(ctx, { ...who, signal: new AbortController().signal }),
  }
}
