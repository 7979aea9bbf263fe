import { OPERATOR } from '../kernel/actor.ts'
import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { STANDING_NOTICE, findAccount, findAccountByEmail, insertAudit } from '../modules/accounts/index.ts'
import { fingerprintOf } from '../modules/email/index.ts'
import { eraseAccount } from '../store/erase-account.ts'
import { exportAccount } from '../store/export-account.ts'
import { type Person, erasePerson, exportPerson } from '../store/person.ts'
import { openSecrets } from '../store/secrets.ts'
import { type Flags, print, withStore } from './store.ts'

/** Who is meant: an account by its id, or a person by a mail address, with or without an account. */
async function find(ctx: StoreCtx, who: string) {
  if (!who.includes('@')) {
    const account = await findAccount(ctx.db, who)
    if (!account) throw new Error('Account not found.')
    return { account, person: undefined }
  }
  const secrets = await openSecrets(loadConfig(), ctx)
  const person: Person = { email: who.toLowerCase(), emailHash: fingerprintOf({ ports: { secrets } }, who) }
  return { account: await findAccountByEmail(ctx.db, who), person }
}

/** Writes what is known about an account or a person, a line of JSON for each row, to a file that only its owner can read. */
export function exportData(who: string, { json, file }: Flags & { file: string }): Promise<void> {
  return withStore(async (ctx) => {
    const { account, person } = await find(ctx, who)
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
    const out = createWriteStream(file, { flags: 'a' })
    let rows = 0
    async function* all() {
      if (account) yield* exportAccount(ctx.db, { accountId: account.id, email: account.email?.toLowerCase() })
      if (person) yield* exportPerson(ctx.db, person)
    }
    for await (const line of all()) {
      rows++
      if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
    }
    out.end()
    await once(out, 'close')
    const accountId = account?.id ?? null
    const what = account ? 'account.exported' : 'person.exported'
    await insertAudit(ctx, { actor: OPERATOR, accountId, what, detail: {} })
    print(json, { file, rows }, [`Wrote ${rows} rows to ${file}.`])
  })
}

/** Erases an account, and what others have written about a person where nothing waits for it any more. */
export function eraseData(who: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const { signal } = new AbortController()
    const { account, person } = await find(ctx, who)
    if (account) {
      const onClosed = () => gateways.publish(STANDING_NOTICE, account.id)
      await eraseAccount(ctx, { accountId: account.id, actor: OPERATOR, signal, onClosed })
    }
    if (person) {
      await erasePerson(ctx.db, person, signal)
      if (!account) await insertAudit(ctx, { actor: OPERATOR, accountId: null, what: 'person.erased', detail: {} })
    }
    print(json, { erased: true, account: account?.id ?? null }, [
      'Erased. Backups that were made before still have it.',
    ])
  })
}
