import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { findAccount } from '../../accounts/index.ts'
import { type NameLease, listUntold, markTold, toDay } from '../../names/index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PAGE = 500
/** A long lease is worth a week's warning; one of days is not longer than its warning. */
const LONG_LEASE = 14 * DAY
const WARNING = 7 * DAY
const SHORT_WARNING = 12 * HOUR

/** What there is to tell of a lease at a time: 1 that it ends soon, 2 that it has ended, 3 that the name is free. */
function noticeAt({ createdAt, expiresAt, graceUntil }: NameLease, now: number): 0 | 1 | 2 | 3 {
  if (now >= graceUntil) return 3
  if (now >= expiresAt) return 2
  const warning = expiresAt - createdAt > LONG_LEASE ? WARNING : SHORT_WARNING
  return now >= expiresAt - warning ? 1 : 0
}

/**
 * Tells the accounts that leased names how their leases end, each notice once. What was missed while the gateway was away
 * is not told late: only where the name stands now.
 */
export async function remindOwners(ctx: StoreCtx, baseUrl: string): Promise<void> {
  const now = ctx.clock.now()
  // All pages: those who have nothing to be told for days stay in the list and must not hide others.
  for (let after: Untold | undefined; ;) {
    const page: Untold[] = await listUntold(ctx.db, { expiresBefore: now + WARNING, after, limit: PAGE })
    for (const lease of page) await remindOwner(ctx, lease, { now, baseUrl })
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

type Untold = Awaited<ReturnType<typeof listUntold>>[number]

async function remindOwner(
  ctx: StoreCtx,
  lease: Untold,
  { now, baseUrl }: { now: number; baseUrl: string },
): Promise<void> {
  const notice = noticeAt(lease, now)
  if (notice <= lease.told) return
  await inTx(ctx, async (tx) => {
    if (!(await markTold(tx.db, lease, notice))) return
    const account = await findAccount(tx.db, lease.accountId!)
    if (!account || account.email === null) return
    const mail = toMail(lease, notice as 1 | 2 | 3, { recipient: account.email, baseUrl })
    await enqueue(tx, { kind: 'mail.send', payload: mail, key: mail.id })
  })
}

function toMail(
  { key, name, owner, expiresAt, graceUntil }: NameLease,
  notice: 1 | 2 | 3,
  { recipient, baseUrl }: { recipient: string; baseUrl: string },
) {
  const renew = `To renew it, ask ${baseUrl} for get_name and pay from ${owner}.`
  const { subject, lines } = {
    1: {
      subject: `@${name} ends on ${toDay(expiresAt)}`,
      lines: [`The lease of @${name} ends on ${toDay(expiresAt)} (UTC).`, '', renew],
    },
    2: {
      subject: `Your lease of @${name} has expired`,
      lines: [
        `Your lease of @${name} has expired and payments to it are refused.`,
        `Until ${toDay(graceUntil)} (UTC) only you can renew it.`,
        '',
        renew,
      ],
    },
    3: { subject: `@${name} is free again`, lines: [`@${name} was not renewed. Anyone can lease it now.`] },
  }[notice]
  return { id: `mail_name_${key}_${expiresAt}_${notice}`, recipient, subject, text: lines.join('\n') }
}
